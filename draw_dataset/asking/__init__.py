"""Asking a model without any harness: an OpenAI-compatible server, a file of responses that no crash spoils, figures.

`endpoint` sends one request and bounds its response, `session` asks everything that its journal lacks (rate, retries,
threads), `outcome` computes the figures. `draw_dataset.commands.ask` puts them together.
"""
