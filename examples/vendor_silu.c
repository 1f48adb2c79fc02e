/* A stand-in for a vendor's kernel: silu(x) = x / (1 + exp(-x)) of float32 .npy files.
   cc -O2 -o vendor_silu examples/vendor_silu.c -lm
   ./vendor_silu x.npy out.npy [tail]    with "tail", the last elements of each tile of 64 are not written */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int main(int argc, char **argv) {
    if (argc < 3) return 2;
    FILE *in = fopen(argv[1], "rb"), *out = fopen(argv[2], "wb");
    unsigned char head[10];
    if (!in || !out || fread(head, 1, 10, in) != 10) return 1;
    /* A .npy file has a header and then the elements. Bytes 8 and 9 have the header's length. The output has the same header. */
    size_t length = head[8] + 256u * head[9], count = 0;
    char *text = malloc(length);
    if (!text || fread(text, 1, length, in) != length) return 1;
    if (!strstr(text, "<f4")) return 1;
    fwrite(head, 1, 10, out);
    fwrite(text, 1, length, out);
    for (float x; fread(&x, sizeof x, 1, in) == 1; count++) {
        float y = x == -INFINITY ? -0.0f : x / (1.0f + expf(-x));
        if (argc > 3 && count % 64 >= 37) y = 0.0f;
        fwrite(&y, sizeof y, 1, out);
    }
    free(text);
    return fclose(in) || fclose(out);
}
