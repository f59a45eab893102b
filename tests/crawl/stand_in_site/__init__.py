"""A stand-in for algebra.com on the loopback interface: problems, explanations, pages, and a server with bad manners.

Everything follows from a seed. `problems` makes word problems that know their derivations, `explanations` writes what
tutors would write about them, `pages` writes the HTML, `plan` decides which page misbehaves how and what must become of
it, `server` serves it.
"""
