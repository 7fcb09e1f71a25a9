# SPDX-License-Identifier: MIT OR Apache-2.0
"""What the modules share: running the program, and reading plans."""

from __future__ import absolute_import, division, print_function

__metaclass__ = type

import json
import os

# Words of a plan's first lines: what it was made for, and not what it says.
_FINGERPRINT = ('cpu', 'microcode', 'kernel', 'libcrypto', 'wirespeed')

# The module looks where programs look that have no environment of their own.
_ENVIRONMENT = {'LC_ALL': 'C.UTF-8', 'OPENSSL_CONF': None, 'OPENSSL_MODULES': None}


def find(module):
    """The program's path, if it is there."""
    executable = module.params['executable']
    path = executable if os.path.isabs(executable) else module.get_bin_path(executable)
    return path if path and os.path.exists(path) else None


def run(module, words, good=(0,)):
    """Runs the program; fails in its own words unless its exit status is a good one."""
    path = find(module)
    if path is None:
        executable = module.params['executable']
        module.fail_json(msg='%s is not installed: the role wirespeed.fleet.install installs it' % executable)
    for name, value in _ENVIRONMENT.items():
        if value is None:
            os.environ.pop(name, None)
        else:
            os.environ[name] = value
    status, output, said = module.run_command([path] + words)
    if status not in good:
        last = (said.strip() or output.strip() or 'exit status %d' % status).splitlines()[-1]
        module.fail_json(msg=last, rc=status, stdout=output, stderr=said, cmd=[path] + words)
    return status, output, said


def read_json(module, words, good=(0,)):
    """What the program tells as JSON, which must be of this kind."""
    dummy, output, said = run(module, words, good)
    try:
        told = json.loads(output)
    except ValueError as why:
        module.fail_json(msg='wirespeed %s: no JSON: %s' % (' '.join(words), why), stdout=output, stderr=said)
    wanted = 'wirespeed.%s/1' % words[0]
    if told.get('schema') != wanted:
        module.fail_json(msg='wirespeed %s: its schema is %s, not %s' % (words[0], told.get('schema'), wanted))
    return told


def choices(text):
    """What a plan says, without remarks and without what it was made for."""
    lines = (line.split() for line in text.splitlines() if not line.startswith('#'))
    return [words for words in lines if words and words[0] not in _FINGERPRINT]


def read_text(path):
    """A file's text; nothing where there is none."""
    try:
        with open(path, 'rb') as file:
            return file.read().decode('utf-8', 'replace')
    except (IOError, OSError):
        return ''
