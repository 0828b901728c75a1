// refuse: surface
__global__ void sample(cudaSurfaceObject_t picture)
{
    surf2Dwrite(1.0f, picture, 0, 0);
}
