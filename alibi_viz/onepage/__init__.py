"""ALiBi on one page: a file that opens without a server and without a network.

The canvas scripts are those of the app, unchanged. What the library knows (answers, measurements,
claims) is computed when the file is written; what follows a slider is computed in the browser, by
formulas that tests hold to the library's.
"""
