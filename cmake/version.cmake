# ND_RELEASE: the version of this source, the same in every checkout of it. An image carries this one, since
# even the length of a text that it prints changes its timing.
# ND_VERSION: the same with what `git describe` says of this tree, if it is one of git's.
find_package(Git QUIET)
set(ND_RELEASE "0.1.0")
set(ND_VERSION "${ND_RELEASE}")
if(GIT_FOUND)
    execute_process(
        COMMAND ${GIT_EXECUTABLE} -C ${PROJECT_SOURCE_DIR} describe --always --dirty --tags
        OUTPUT_VARIABLE nd_describe OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET RESULT_VARIABLE nd_describe_failed)
    if(nd_describe_failed EQUAL 0)
        set(ND_VERSION "${ND_RELEASE}+${nd_describe}")
    endif()
endif()
