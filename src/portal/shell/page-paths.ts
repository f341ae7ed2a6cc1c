/**
 * Addresses that have a page, as routes.ts lists them. Pages that link to others by kind of record ask here, because they
 * cannot import the list that loads them.
 */
export const pagePaths = new Set<string>()
