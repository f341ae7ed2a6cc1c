export const failures = {
  original: 'What the server said',
  reason: 'Reason: {reason}',
  refused: {
    suspended: {
      title: 'This enterprise is suspended',
      text: 'The operator of this server has suspended the enterprise: nothing can be sent, run or changed. Stored data stays. Only the operator can end this.',
    },
    account: {
      title: 'Your account is suspended',
      text: 'The operator of this server has suspended your tools, files and Tool APIs. Stored data stays. Only the operator can end this.',
    },
    assets: {
      title: 'Sensors and readings are on hold',
      text: 'The operator of this server has put sensors and readings of the enterprise on hold: readings are refused, and stored ones cannot be read until the hold ends. Only the operator can end this.',
    },
    held: {
      title: 'This is on hold',
      text: 'The operator of this server has put it on hold. Only the operator can end this.',
    },
    off: { title: 'This is switched off', text: 'It is switched off. An owner or administrator can switch it on.' },
    licence: {
      title: 'Not in the licence',
      text: 'The licence of this server does not include sensors and readings. Only the operator can change this.',
    },
    tier: {
      title: 'Not in the tier of this enterprise',
      text: 'The tier of the enterprise does not include this. Only the operator of this server can change the tier.',
    },
    plan: {
      title: 'Not in your plan',
      text: 'Your plan does not include this. Only the operator of this server can change your plan.',
    },
    operator: {
      title: 'You may not do this',
      text: 'Only the operator of this server may do this. No role in an enterprise includes it.',
    },
    role: {
      title: 'You may not do this',
      administer:
        'Owners and administrators of the enterprise may do this, and your role is “{role}”. An owner or administrator can change your role.',
      own: 'Only owners of the enterprise may do this, and your role is “{role}”. An owner can change your role.',
      noEnterprise:
        'Members of an enterprise may do this, and you work without one. An owner or administrator can invite you.',
    },
  },
} as const
