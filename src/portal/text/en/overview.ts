export const overview = {
  title: 'Overview',
  empty: 'No enterprise yet',
  emptyText: 'An enterprise owns sensors, layers and files. Its owner invites the others.',
} as const
