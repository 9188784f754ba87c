# SPDX-License-Identifier: MIT
# Several .cu files in one, gen/batch_N.cu: the headers take most of the time that a small one needs. AUGUR_CUDA_SOURCES
# becomes the list of the batches. Files with the same static names are kept apart: one that clashes with others stays
# alone when it is named here.
set(alone group.cu linear.cu nccl.cu)
set(singles "")
set(others "")
foreach(source ${AUGUR_CUDA_SOURCES})
    get_filename_component(name ${source} NAME)
    if(name IN_LIST alone)
        list(APPEND singles ${source})
    else()
        list(APPEND others ${source})
    endif()
endforeach()

set(n_batches 8)
math(EXPR last "${n_batches} - 1")
foreach(batch RANGE ${last})
    set(batch_${batch} "")
endforeach()
set(at 0)
foreach(source ${others}) # neighbours in the list come into different batches
    math(EXPR batch "${at} % ${n_batches}")
    math(EXPR at "${at} + 1")
    string(APPEND batch_${batch} "#include \"${source}\"\n")
endforeach()

set(AUGUR_CUDA_SOURCES ${singles})
foreach(batch RANGE ${last})
    file(CONFIGURE OUTPUT ${AUGUR_GEN}/batch_${batch}.cu CONTENT "${batch_${batch}}" @ONLY)
    list(APPEND AUGUR_CUDA_SOURCES ${AUGUR_GEN}/batch_${batch}.cu)
endforeach()
