# One box of the design = one static library that sees only what it is given.
#
#   nd_box(NAME SOURCES file... [SEES target...])
#
# SEES names the boxes whose headers it may include; nothing else is on its include path.

add_library(nd_warnings INTERFACE)
target_compile_features(nd_warnings INTERFACE c_std_11)
target_compile_options(nd_warnings INTERFACE
    -Wall -Wextra -Wconversion -Werror -fno-common)

# The Debug build must be exact about undefined behaviour, the others about speed.
if(ND_SANITIZE)
    set(nd_sanitizers -fsanitize=address,undefined -fno-sanitize-recover=all -fno-omit-frame-pointer)
    add_compile_options(${nd_sanitizers})
    add_link_options(${nd_sanitizers})
endif()

# What a firmware author may include.
add_library(nd_include INTERFACE)
target_include_directories(nd_include INTERFACE ${PROJECT_SOURCE_DIR}/include)

function(nd_box name)
    cmake_parse_arguments(box "" "" "SOURCES;SEES" ${ARGN})
    add_library(${name} STATIC ${box_SOURCES})
    target_link_libraries(${name} PUBLIC ${box_SEES} PRIVATE nd_warnings)
endfunction()
