#include "core/recording.h"

#include "core/memory.h"

#ifdef GLUG_CUDA
#include <cuda_runtime.h>
#endif

namespace glug {

#ifdef GLUG_CUDA

namespace {
cudaStream_t stream() { return static_cast<cudaStream_t>(cuda::loop_stream()); }
}  // namespace

void Recording::begin() {
  (void)cudaStreamBeginCapture(stream(), cudaStreamCaptureModeThreadLocal);
  cuda::check("starting to record");
}

void Recording::end() {
  cudaGraph_t graph{};
  (void)cudaStreamEndCapture(stream(), &graph);
  if (graph) {
    cudaGraphExecUpdateResultInfo unlike{};
    if (!graph_ ||
        cudaGraphExecUpdate(static_cast<cudaGraphExec_t>(graph_.get()), graph, &unlike) != cudaSuccess) {
      (void)cudaGetLastError();  // another kind of sequence
      cudaGraphExec_t playable{};
      (void)cudaGraphInstantiate(&playable, graph, 0);
      graph_.reset(playable);
    }
    (void)cudaGraphDestroy(graph);
  }
  cuda::check("recording loops");
}

void Recording::launch() {
  (void)cudaGraphLaunch(static_cast<cudaGraphExec_t>(graph_.get()), stream());
  cuda::check("playing recorded loops");
}

void Recording::Forget::operator()(void* graph) const {
  (void)cudaGraphExecDestroy(static_cast<cudaGraphExec_t>(graph));
}

#else

void Recording::begin() { cuda::not_built_for_device(); }
void Recording::end() {}
void Recording::launch() {}
void Recording::Forget::operator()(void*) const {}

#endif

}  // namespace glug
