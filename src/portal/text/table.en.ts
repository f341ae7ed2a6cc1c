export const table = {
  columns: 'Columns',
  csvHelp: 'Save these columns of all rows as CSV',
  csvLoaded: { one: '{count} row', other: '{count} rows' },
  csvCut: {
    one: 'The file has the first row. An export has all of them.',
    other: 'The file has the first {count} rows. An export has all of them.',
  },
  select: 'Select this row',
  selectLoaded: 'Select the loaded rows',
  selected: { one: '{count} selected', other: '{count} selected' },
  selectAll: { one: 'Select {count} row', other: 'Select all {count}' },
  clear: 'Clear selection',
  sparkline: '{name}, last 24 hours: {least} to {most}',
  timeLeft: '{time} left',
  dropHere: 'Or drop or paste it here.',
  wrongFile: '{name} cannot be used here. Allowed: {allowed}.',
  manyFiles: {
    one: 'Only {count} more file fits here; the others were left out.',
    other: 'Only {count} more files fit here; the others were left out.',
  },
  largeFile: '{name} has {size}; at most {most} are allowed.',
  days: { from: 'From', to: 'To' },
} as const
