export const failures = {
  original: 'What the server said',
} as const
