"""Asking a model without any harness: an OpenAI-compatible server, a file of responses that no crash spoils, figures.

`endpoint` sends one request and bounds its response, `request` writes its body, `session` asks everything that its
journal lacks (rate, retries, threads), `budget` counts costs and stops, `batch` writes and reads files for servers that
answer later, `outcome` computes the figures. `draw_dataset.commands.ask` puts them together.
"""
