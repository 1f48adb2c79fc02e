"""A delivery: a folder with the inputs of many cases, a manifest, and the outputs that another program puts there.

manifest  the file manifest.json: read, written, and the tensors that it names
drawing   the cases that `actgrad cases --tensors` makes
trial     all cases judged, by several processes, with a state that an interrupted run goes on from
workers   the processes that judge
summary   the verdict on all cases: for a terminal, as JSON, JUnit XML and a page
"""
