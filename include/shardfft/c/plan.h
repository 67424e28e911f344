#ifndef SHARDFFT_C_PLAN_H
#define SHARDFFT_C_PLAN_H
/* Plans: distributed transforms, planned once and run many times. */
#include "shardfft/c/base.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Stand for an output layout: that of the algorithm's last stage, and the input's own cuts. */
#define SHARDFFT_DEFAULT_OUTPUT ((shardfft_layout)0)
#define SHARDFFT_NATURAL_OUTPUT ((shardfft_layout)1)

/* A plan over the processes of a communicator, and one over GPUs of this process: rank r of the layouts is the GPU
 * devices[r]. This process has some of the ranks, the plan's members: one of a communicator, or all of the devices.
 * `output` is a layout or one of the constants above. For r2c `input` is the real array, for c2r the half spectrum.
 * `options` may be NULL. Collective, as are all calls marked so; an error of creation is an error on every rank. */
shardfft_status shardfft_plan_create(MPI_Comm comm, shardfft_kind kind, shardfft_precision precision,
                                     shardfft_layout input, shardfft_layout output, shardfft_options options,
                                     shardfft_plan* plan);
shardfft_status shardfft_plan_create_f(MPI_Fint comm, shardfft_kind kind, shardfft_precision precision,
                                       shardfft_layout input, shardfft_layout output, shardfft_options options,
                                       shardfft_plan* plan);
shardfft_status shardfft_plan_create_devices(int count, const int* devices, shardfft_kind kind,
                                             shardfft_precision precision, shardfft_layout input,
                                             shardfft_layout output, shardfft_options options, shardfft_plan* plan);
/* Collective. */
shardfft_status shardfft_plan_free(shardfft_plan* plan);

/* Transforms `in` into `out`, which may be equal if the buffer holds shardfft_plan_in_place_bytes(); other overlaps are
 * refused. `in` is otherwise unchanged, except by c2r with the option overwrite_input. Backward is the inverse, from
 * the output's layout to the input's. Collective. */
shardfft_status shardfft_plan_forward(shardfft_plan plan, const void* in, void* out);
shardfft_status shardfft_plan_backward(shardfft_plan plan, const void* in, void* out);
/* `in` transformed forward, multiplied by the operator's factors, and transformed backward into `out`. Both arrays are
 * like the input; with every norm the factor 1 gives `in` back. Collective. */
shardfft_status shardfft_plan_apply(shardfft_plan plan, shardfft_operator factors, const void* in, void* out);
/* The operator that convolves with `kernel`, an array like the input. Collective. */
shardfft_status shardfft_plan_convolution(shardfft_plan plan, const void* kernel, shardfft_operator* made);
/* The same for plans of any number of members: an array for each. */
shardfft_status shardfft_plan_forward_members(shardfft_plan plan, int count, const void* const* in, void* const* out);
shardfft_status shardfft_plan_backward_members(shardfft_plan plan, int count, const void* const* in, void* const* out);
shardfft_status shardfft_plan_apply_members(shardfft_plan plan, shardfft_operator factors, int count,
                                            const void* const* in, void* const* out);
shardfft_status shardfft_plan_convolution_members(shardfft_plan plan, int count, const void* const* kernels,
                                                  shardfft_operator* made);
/* For a rank that cannot take part in the other ranks' forward, backward or apply: all ranks fail with
 * SHARDFFT_INVALID_ARGUMENT and with `why`. Collective with their call. */
shardfft_status shardfft_plan_refuse(shardfft_plan plan, const char* why);
/* 1 if a call failed in its middle on this rank. MPI may still use the arrays of that call, which must live until MPI
 * ends; later calls are refused. */
shardfft_status shardfft_plan_failed_half_way(shardfft_plan plan, int* failed);

/* Number of ranks of the layouts, and how many of them this process has. */
shardfft_status shardfft_plan_ranks(shardfft_plan plan, int* ranks);
shardfft_status shardfft_plan_members(shardfft_plan plan, int* members);
/* A member's input and output, to be freed with shardfft_side_free(), and the elements of their arrays, all fields
 * together. In plans of one member that is number 0. */
shardfft_status shardfft_plan_input(shardfft_plan plan, int member, shardfft_side* side);
shardfft_status shardfft_plan_output(shardfft_plan plan, int member, shardfft_side* side);
shardfft_status shardfft_plan_input_count(shardfft_plan plan, int member, int64_t* count);
shardfft_status shardfft_plan_output_count(shardfft_plan plan, int member, int64_t* count);
/* The GPU of a member, -1 for plans on CPUs, and the stream (a cudaStream_t) of its calls, NULL there. */
shardfft_status shardfft_plan_device(shardfft_plan plan, int member, int* device);
shardfft_status shardfft_plan_stream(shardfft_plan plan, int member, void** stream);
/* From now on calls are enqueued on these streams, one a member, and return at once if memory and exchange allow. A
 * NULL among them, or none of them: the plan's own streams. Collective. */
shardfft_status shardfft_plan_set_streams(shardfft_plan plan, int count, void* const* streams);
/* Bytes that a buffer must hold to be a member's input and output at once. */
shardfft_status shardfft_plan_in_place_bytes(shardfft_plan plan, int member, size_t* bytes);
/* Bytes that runs take beside the arrays, and memory of the caller's to take instead of allocating it: aligned to 64
 * bytes, on GPUs to 256, and to outlive the plan. */
shardfft_status shardfft_plan_workspace_bytes(shardfft_plan plan, size_t* bytes);
shardfft_status shardfft_plan_set_workspace(shardfft_plan plan, void* memory, size_t bytes);
/* A member's array, in memory that exchanges reach without a copy, not initialised. Collective; freeing it is not. */
shardfft_status shardfft_plan_allocate_input(shardfft_plan plan, int member, shardfft_buffer* buffer);
shardfft_status shardfft_plan_allocate_output(shardfft_plan plan, int member, shardfft_buffer* buffer);

/* All choices of the plan, as the option way takes them. Collective. */
shardfft_status shardfft_plan_way(shardfft_plan plan, char** way);
/* The plan's choices, the bytes of every step, memory, and after runs the time of every step. Collective. */
shardfft_status shardfft_plan_report(shardfft_plan plan, shardfft_report* report);

/* A report as lines for people, and as one JSON object. The caller frees the texts, and the report. */
shardfft_status shardfft_report_to_text(shardfft_report report, char** text);
shardfft_status shardfft_report_to_json(shardfft_report report, char** json);
shardfft_status shardfft_report_free(shardfft_report* report);

#ifdef __cplusplus
}
#endif
#endif
