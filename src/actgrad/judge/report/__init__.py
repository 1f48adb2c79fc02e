"""Reports of verdicts.

text      verdicts as strings and tables for a terminal, and as JSON
page      the same strings and tables as one HTML page, from the template page.html
svg       drawings for pages: errors over x and over the position, and their histogram
"""
