#!/usr/bin/python
# SPDX-License-Identifier: MIT OR Apache-2.0

from __future__ import absolute_import, division, print_function

__metaclass__ = type

DOCUMENTATION = r'''
---
module: wirespeed_facts
short_description: What a host is to Wirespeed
description:
  - Tells the kind of the host, whether its plan fits, how busy it is and, if asked, what its doctor says.
  - Nothing is changed but the file of metrics.
version_added: 0.1.0
author: the Wirespeed project (@wirespeed)
options:
  executable:
    description: The program.
    type: str
    default: wirespeed
  doctor:
    description: Whether to ask C(wirespeed doctor), too, which takes some seconds.
    type: bool
    default: false
  prometheus:
    description: A file for node_exporter, to which what the doctor sees is written; not in check mode.
    type: path
attributes:
  check_mode:
    description: Tells the same in check mode.
    support: full
  diff_mode:
    description: There is no difference to show.
    support: none
'''

EXAMPLES = r'''
- name: Ask
  wirespeed.fleet.wirespeed_facts:

- name: Ask the doctor, too
  wirespeed.fleet.wirespeed_facts:
    doctor: true
'''

RETURN = r'''
ansible_facts:
  description: The facts.
  returned: always
  type: dict
  contains:
    wirespeed:
      description: The facts of Wirespeed.
      returned: always
      type: dict
      contains:
        version:
          description: The program's version.
          type: str
          returned: always
        kind:
          description: Eight digits, the same on machines that are alike.
          type: str
          returned: always
        kind_in_words:
          description: CPU, stepping, microcode, hypervisor and OpenSSL.
          type: str
          returned: always
        machine:
          description: The machine, as in every document of Wirespeed's.
          type: dict
          returned: always
        plan_fits:
          description: Whether there is a plan, and it is for this machine as it is now.
          type: bool
          returned: always
        load:
          description: Running processes for each CPU, over the last minute.
          type: float
          returned: always
        faults:
          description: What the doctor found to mend, each with its mend.
          type: list
          elements: dict
          returned: if the doctor was asked
'''

import os

from ansible.module_utils.basic import AnsibleModule
from ansible_collections.wirespeed.fleet.plugins.module_utils.wirespeed import read_json


def main():
    module = AnsibleModule(
        argument_spec=dict(
            executable=dict(type='str', default='wirespeed'),
            doctor=dict(type='bool', default=False),
            prometheus=dict(type='path'),
        ),
        supports_check_mode=True,
    )
    told = read_json(module, ['routes', '--json'])
    plan = told.get('plan')
    cores = told['machine']['cpu'].get('cores') or 1
    facts = dict((key, told[key]) for key in ('version', 'kind', 'kind_in_words', 'machine'))
    facts['plan_fits'] = plan is not None and plan['ignored'] is None
    facts['load'] = os.getloadavg()[0] / cores
    if module.params['doctor']:
        words = ['doctor', '--json']
        if module.params['prometheus'] and not module.check_mode:
            words += ['--prometheus', module.params['prometheus']]
        findings = read_json(module, words, good=(0, 1))['findings']
        facts['faults'] = [finding for finding in findings if finding['state'] == 'mend']
    module.exit_json(changed=False, ansible_facts=dict(wirespeed=facts))


if __name__ == '__main__':
    main()
