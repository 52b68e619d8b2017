"""Tables in analytics tools: files of holdall beside Arrow IPC, Parquet, Vortex and CSV."""
