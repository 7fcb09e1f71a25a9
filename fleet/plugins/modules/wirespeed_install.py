#!/usr/bin/python
# SPDX-License-Identifier: MIT OR Apache-2.0

from __future__ import absolute_import, division, print_function

__metaclass__ = type

DOCUMENTATION = r'''
---
module: wirespeed_install
short_description: Puts Wirespeed to work for a host's OpenSSL programs, or takes it back
description:
  - Runs C(wirespeed install) or C(wirespeed uninstall). Both try the host's programs, and leave no trace if one fails.
  - A plan that was measured on another host of the same kind is tried here before it is used.
version_added: 0.1.0
author: the Wirespeed project (@wirespeed)
options:
  state:
    description: Whether programs are to use Wirespeed.
    type: str
    choices: [present, absent]
    default: present
  plan:
    description:
      - A plan on the host that was measured on another of its kind. Without one the host measures itself.
      - A host whose own plan fits goes on with it where it is kept or for constant time.
    type: path
  constant_time:
    description: Whether calls are kept from code that looks up in tables, also where that is slower. Unset, it is as it was.
    type: bool
  stats:
    description: Whether programs are to count what they do, for metrics.
    type: bool
    default: false
  keep:
    description: Whether the host is to measure again by itself after updates.
    type: bool
    default: false
  pending:
    description:
      - A file that is made before anything is changed. Whoever has restarted the services removes it.
      - So a run that was killed between the two is made up for by the next.
    type: path
  executable:
    description: The program.
    type: str
    default: wirespeed
attributes:
  check_mode:
    description: Tells what would change, and changes nothing.
    support: full
  diff_mode:
    description: Shows the change of openssl.cnf.
    support: full
'''

EXAMPLES = r'''
- name: Put it to work with a plan of this kind of host
  wirespeed.fleet.wirespeed_install:
    plan: /var/lib/wirespeed/fleet.plan
    stats: true

- name: Take it back
  wirespeed.fleet.wirespeed_install:
    state: absent
'''

RETURN = r'''
said:
  description: What the program said.
  returned: always
  type: str
pending:
  description: Whether services are to be restarted, for this change or for one before.
  returned: always
  type: bool
'''

import os
import re

from ansible.module_utils.basic import AnsibleModule
from ansible_collections.wirespeed.fleet.plugins.module_utils.wirespeed import (
    choices, find, read_json, read_text, run,
)

NOTHING = ('Already installed: nothing to change.', 'Not installed: nothing to change.')


# Where distributions have OpenSSL's configuration, and where Fedora has ours.
CONFIGURATIONS = ('/etc/ssl/openssl.cnf', '/etc/pki/tls/openssl.cnf', '/etc/pki/tls/openssl.d/wirespeed.cnf')


def is_served(module, plan):
    """Whether this host follows the plan's choices, or a plan of its own that goes before."""
    told = read_json(module, ['routes', '--json'])['plan']
    if told is None or told['ignored'] is not None:
        return False
    own = choices(read_text(told['file']))
    is_constant_time = ['constant-time'] in own
    wanted = module.params['constant_time']
    if wanted is not None and wanted != is_constant_time:
        return False
    if module.params['keep'] or (is_constant_time and wanted is None):
        return True
    return own == choices(read_text(plan))


def words(module):
    """The command."""
    params = module.params
    if params['state'] == 'absent':
        return ['uninstall']
    command = ['install'] + ['--' + flag for flag in ('stats', 'keep') if params[flag]]
    if params['constant_time'] is not None:
        command.append('--constant-time=%s' % ('on' if params['constant_time'] else 'off'))
    plan = params['plan']
    # In check mode nobody has copied it yet.
    there = plan and (os.path.exists(plan) or not module.check_mode)
    if there and not is_served(module, plan):
        command += ['--plan', plan]
    return command


def is_there(path):
    """Whether a change was made for which no service has been restarted."""
    return path is not None and os.path.exists(path)


def main():
    module = AnsibleModule(
        argument_spec=dict(
            state=dict(type='str', choices=['present', 'absent'], default='present'),
            plan=dict(type='path'),
            stats=dict(type='bool', default=False),
            keep=dict(type='bool', default=False),
            constant_time=dict(type='bool'),
            pending=dict(type='path'),
            executable=dict(type='str', default='wirespeed'),
        ),
        supports_check_mode=True,
    )
    pending = module.params['pending']
    if module.params['state'] == 'absent' and find(module) is None:
        for path in CONFIGURATIONS:
            if re.search(r'^module = .*wirespeed\.so # wirespeed install', read_text(path), re.MULTILINE):
                module.fail_json(msg='%s still loads Wirespeed, and its program is gone: install it, then take it back' % path)
        module.exit_json(changed=False, said='', pending=is_there(pending))
    command = words(module)
    dummy, would, dummy = run(module, command + ['--dry-run'])
    result = dict(changed=not would.startswith(NOTHING), said=would)
    if module._diff:
        result['diff'] = dict(prepared=would if result['changed'] else '')
    if result['changed'] and not module.check_mode:
        if pending and os.path.isdir(os.path.dirname(pending)):
            open(pending, 'ab').close()
        dummy, result['said'], dummy = run(module, command)
    module.exit_json(pending=result['changed'] or is_there(pending), **result)


if __name__ == '__main__':
    main()
