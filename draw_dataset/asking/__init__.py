"""Asking a model without any harness: an OpenAI-compatible server, a file of responses that no crash spoils, figures.

`connection` sends one request and bounds its response, `endpoint` asks once, `session` asks everything that is not
stored yet (rate, retries, threads), `journal` is the file, `outcome` computes the figures.
`draw_dataset.commands.ask` puts them together.
"""
