// refuse: texture
__global__ void sample(cudaTextureObject_t picture, float *out)
{
    out[threadIdx.x] = tex2D<float>(picture, threadIdx.x, 0);
}
