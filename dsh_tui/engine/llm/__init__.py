"""The model seam: vocabulary, assembler, adapters and the one way to stream."""
