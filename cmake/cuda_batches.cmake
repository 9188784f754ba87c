# SPDX-License-Identifier: MIT
# Several .cu files in one, gen/batch_N.cu: the headers take most of the time that a small one needs. AUGUR_CUDA_SOURCES
# becomes the list of the batches. Files with the same static names are kept apart: one that clashes with others stays
# alone when it is named here.
set(alone group.cu linear.cu nccl.cu)
set(with_cub inverse.cu largest.cu scan.cu) # the headers of CUB take longer than all else in a batch
set(batches 0 1 2 3)
foreach(batch cub ${batches})
    set(batch_${batch} "")
endforeach()
set(singles "")
foreach(source ${AUGUR_CUDA_SOURCES})
    get_filename_component(name ${source} NAME)
    if(name IN_LIST alone)
        list(APPEND singles ${source})
    elseif(name IN_LIST with_cub)
        string(APPEND batch_cub "#include \"${source}\"\n")
    else() # neighbours in the list come into different batches
        list(POP_FRONT batches batch)
        list(APPEND batches ${batch})
        string(APPEND batch_${batch} "#include \"${source}\"\n")
    endif()
endforeach()

set(AUGUR_CUDA_SOURCES ${singles})
foreach(batch cub ${batches})
    file(CONFIGURE OUTPUT ${AUGUR_GEN}/batch_${batch}.cu CONTENT "${batch_${batch}}" @ONLY)
    list(APPEND AUGUR_CUDA_SOURCES ${AUGUR_GEN}/batch_${batch}.cu)
endforeach()
