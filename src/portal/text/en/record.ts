/** Records that several people edit. */
export const record = {
  saved: 'Saved',
  conflictTitle: 'Somebody else changed this meanwhile',
  conflict: 'Choose which version counts. What you typed is kept until then.',
  field: 'Field',
  theirs: 'Saved now',
  mine: 'Yours',
  takeTheirs: 'Keep what is saved',
  takeMine: 'Save mine',
  changedMeanwhile: 'Somebody else changed this meanwhile, so nothing was deleted. Reload the page and look again.',
} as const
