# ND_VERSION: what `git describe` says of this tree, or the version of the release archive.
find_package(Git QUIET)
set(ND_VERSION "0.1.0")
if(GIT_FOUND)
    execute_process(
        COMMAND ${GIT_EXECUTABLE} -C ${PROJECT_SOURCE_DIR} describe --always --dirty --tags
        OUTPUT_VARIABLE nd_describe OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET RESULT_VARIABLE nd_describe_failed)
    if(nd_describe_failed EQUAL 0)
        set(ND_VERSION "0.1.0+${nd_describe}")
    endif()
endif()
