"""Reports of verdicts.

text      as strings and tables for a terminal, and as JSON
page      the same strings and tables as one HTML page, after the template page.html
pictures  errors against x, and their histogram, for the page
"""
