"""Reports of verdicts.

text      as strings and tables for a terminal, and as JSON
page      the same strings and tables as one HTML page, after the template page.html
svg       errors over x and over the position, and their histogram, for pages
"""
