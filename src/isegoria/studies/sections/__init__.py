"""One section of report.html for each study, made from the files in the study's folder only."""
