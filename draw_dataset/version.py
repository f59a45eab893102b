"""Version and citations of the package; ``CONTRIBUTING.md`` lists the other numbers that are raised by hand."""

from __future__ import annotations

__version__ = "0.2.0"

# Citations: the paper, and the papers whose problems it annotated.
HOMEPAGE = "https://aclanthology.org/E17-1047/"

CITATION = """\
@inproceedings{upadhyay-chang-2017-annotating,
  title     = {Annotating Derivations: A New Evaluation Strategy and Dataset for Algebra Word Problems},
  author    = {Upadhyay, Shyam and Chang, Ming-Wei},
  booktitle = {Proceedings of the 15th Conference of the European Chapter of the Association for
               Computational Linguistics (EACL)},
  year      = {2017},
}"""

ALG514_CITATION = """\
@inproceedings{kushman-etal-2014-learning,
  title     = {Learning to Automatically Solve Algebra Word Problems},
  author    = {Kushman, Nate and Artzi, Yoav and Zettlemoyer, Luke and Barzilay, Regina},
  booktitle = {Proceedings of the 52nd Annual Meeting of the Association for Computational Linguistics (ACL)},
  year      = {2014},
}"""

DOLPHIN_CITATION = """\
@inproceedings{shi-etal-2015-automatically,
  title     = {Automatically Solving Number Word Problems by Semantic Parsing and Reasoning},
  author    = {Shi, Shuming and Wang, Yuehui and Lin, Chin-Yew and Liu, Xiaojiang and Rui, Yong},
  booktitle = {Proceedings of the 2015 Conference on Empirical Methods in Natural Language Processing (EMNLP)},
  year      = {2015},
}"""

GSM8K_CITATION = """\
@article{cobbe-etal-2021-training,
  title     = {Training Verifiers to Solve Math Word Problems},
  author    = {Cobbe, Karl and Kosaraju, Vineet and Bavarian, Mohammad and Chen, Mark and Jun, Heewoo and
               Kaiser, Lukasz and Plappert, Matthias and Tworek, Jerry and Hilton, Jacob and Nakano, Reiichiro and
               Hesse, Christopher and Schulman, John},
  journal   = {arXiv preprint arXiv:2110.14168},
  year      = {2021},
}"""

SVAMP_CITATION = """\
@inproceedings{patel-etal-2021-nlp,
  title     = {Are {NLP} Models really able to Solve Simple Math Word Problems?},
  author    = {Patel, Arkil and Bhattamishra, Satwik and Goyal, Navin},
  booktitle = {Proceedings of the 2021 Conference of the North American Chapter of the Association for
               Computational Linguistics: Human Language Technologies (NAACL-HLT)},
  year      = {2021},
}"""
