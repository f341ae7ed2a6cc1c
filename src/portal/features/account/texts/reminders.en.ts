export const reminders = {
  title: 'Keys to replace or revoke',
  text: 'Add a second key, put it into the device or program, and revoke the old one when the new one has been used.',
  count: { one: '{count} key should be replaced or revoked.', other: '{count} keys should be replaced or revoked.' },
  more: {
    one: 'More than {count} key should be replaced or revoked.',
    other: 'More than {count} keys should be replaced or revoked.',
  },
  show: 'Show keys',
  dismiss: 'Hide in this tab',
  kinds: {
    'sensor-key': 'Key of a sensor',
    'fleet-key-secret': 'Fleet key',
    'application-key': 'Key pair of an application',
    'tool-api-key': 'Key of a Tool API',
    'personal-key': 'Personal API key',
    'operator-token': 'Operator token',
  },
  reasons: {
    expired: 'Expired on {day}',
    expiring: 'Expires on {day}',
    old: 'Not replaced since {day}',
    unused: 'Not used for 90\u00a0days',
  },
} as const
