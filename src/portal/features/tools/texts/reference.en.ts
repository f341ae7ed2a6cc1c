export const reference = {
  title: 'API reference',
  search: 'Path, name or word',
  tags: {
    Sensors: 'Sensors',
    Assets: 'Assets',
    GIS: 'GIS',
    'Tool API': 'Tool API',
    Manage: 'Manage',
    Accounts: 'Accounts',
    Health: 'Health',
  },
  none: 'You have none that you may use here.',
  secrets: {
    sensor: 'Key of the sensor',
    application: 'Secret key of the application',
    toolApi: 'Key of the Tool API',
    operator: 'Operator token',
  },
  secretHelp: 'Paste it to complete the example. It stays in this tab and is sent nowhere.',
  sessionOnly:
    'These calls take a session of this portal, or the operator token. What your role allows can be done on the pages here.',
  parameters: 'Parameters',
  body: 'Body ({type})',
  result: 'Data of the answer',
  answers: 'Answers',
  meaning: 'Meaning',
  required: 'required',
} as const
