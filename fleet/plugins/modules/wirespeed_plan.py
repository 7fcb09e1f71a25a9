#!/usr/bin/python
# SPDX-License-Identifier: MIT OR Apache-2.0

from __future__ import absolute_import, division, print_function

__metaclass__ = type

DOCUMENTATION = r'''
---
module: wirespeed_plan
short_description: Measures a plan on a host
description:
  - Runs C(wirespeed tune) and keeps the plan in a file of the host, for others of its kind.
  - A file that holds a plan for hosts of this kind stays as it is.
version_added: 0.1.0
author: the Wirespeed project (@wirespeed)
options:
  path:
    description: The file.
    type: path
    required: true
  quick:
    description: Whether to measure each cipher with its smallest key only, in under a minute.
    type: bool
    default: true
  constant_time:
    description: Whether calls are kept from code that looks up in tables, also where that is slower.
    type: bool
    default: false
  force:
    description: Whether to measure anew whatever the file holds.
    type: bool
    default: false
  executable:
    description: The program.
    type: str
    default: wirespeed
attributes:
  check_mode:
    description: Tells whether it would measure, and measures nothing.
    support: full
  diff_mode:
    description: Shows the old plan and the new one.
    support: full
'''

EXAMPLES = r'''
- name: Measure where there is no plan yet
  wirespeed.fleet.wirespeed_plan:
    path: /var/lib/wirespeed/fleet.plan
'''

RETURN = r'''
plan:
  description: The text of the plan, empty in check mode where there is none.
  returned: always
  type: str
undecided:
  description: Choices that were left to OpenSSL for want of quiet; 0 where nothing was measured.
  returned: always
  type: int
warnings_of_measurement:
  description: What disturbed the measurement.
  returned: always
  type: list
  elements: str
'''

import os

from ansible.module_utils.basic import AnsibleModule
from ansible_collections.wirespeed.fleet.plugins.module_utils.wirespeed import read_json, read_text, run


def main():
    module = AnsibleModule(
        argument_spec=dict(
            path=dict(type='path', required=True),
            quick=dict(type='bool', default=True),
            constant_time=dict(type='bool', default=False),
            force=dict(type='bool', default=False),
            executable=dict(type='str', default='wirespeed'),
        ),
        supports_check_mode=True,
    )
    path = module.params['path']
    before = read_text(path)
    result = dict(changed=False, plan=before, undecided=0, warnings_of_measurement=[])
    if before and not module.params['force']:
        # It reads the plan and looks whether it is for this kind; 2 says that it is not.
        status = run(module, ['install', '--dry-run', '--plan', path], good=(0, 1, 2))[0]
        if status == 0:
            module.exit_json(**result)
    result['changed'] = True
    if not module.check_mode:
        folder = os.path.dirname(path)
        if not os.path.isdir(folder):
            os.makedirs(folder, 0o755)
        words = ['tune', '--output', path, '--json', '-']
        words.append('--constant-time=%s' % ('on' if module.params['constant_time'] else 'off'))
        words += ['--quick'] if module.params['quick'] else []
        # 1: a route is named that gives wrong bytes, and the plan does without it.
        told = read_json(module, words, good=(0, 1))
        result['plan'] = read_text(path)
        result['undecided'] = told['undecided']
        result['warnings_of_measurement'] = told['warnings']
    if module._diff:
        after = result['plan'] if not module.check_mode else '(measured anew)\n'
        result['diff'] = dict(before=before, after=after, before_header=path, after_header=path)
    module.exit_json(**result)


if __name__ == '__main__':
    main()
