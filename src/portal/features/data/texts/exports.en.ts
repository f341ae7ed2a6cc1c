export const exports = {
  title: 'Export everything',
  ofEnterprise:
    'One ZIP with all records, files and readings of this enterprise, and a page that explains each file. Keys and passwords are not in it.',
  ofPerson:
    'One ZIP with everything that is stored about you: account, layers, files, runs, Tool APIs and the changes you made. Keys and passwords are not in it.',
  begin: 'Make an export',
  making: 'The export is being made. You can leave this page.',
  waiting: 'Waiting',
  progress: '{done} of {parts} parts',
  list: 'Exports',
  made: 'Made',
  size: 'Size',
  expires: 'Deleted on',
  failed: 'The export failed three times. Ask the operator, or try again.',
  download: 'Download',
  remove: 'Delete the export',
  stop: 'Stop the export',
  removed: 'Export deleted',
} as const
