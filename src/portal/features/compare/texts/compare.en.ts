export const compare = {
  title: 'Compare sensors',
  action: 'Compare',
  with: 'Compare with…',
  sensors: 'Sensors to compare',
  channels: 'Channels',
  add: 'Add sensors',
  remove: 'Remove {name}',
  none: 'Choose the sensors to compare',
  noneText: 'Their channels are drawn in one chart, with a panel for each unit. The address of the page can be shared.',
  most: 'At most {count} sensors are compared.',
  missing: {
    one: 'One sensor of the address does not exist here.',
    other: '{count} sensors of the address do not exist here.',
  },
  noChannels: 'These sensors have no channels.',
} as const
