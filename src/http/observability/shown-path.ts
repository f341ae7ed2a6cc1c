/** The path of a request as logs and traces show it. */

const MAX_PATH_LENGTH = 300
/** The token of a one-time link is as good as a password until it is used; those in mails act for the reader. */
const LINK = /^(\/portal\/welcome\/|\/mail\/(?:confirm|unsubscribe)\/).+/

const shortened = (path: string): string =>
  path.length <= MAX_PATH_LENGTH ? path : `${path.slice(0, MAX_PATH_LENGTH)}… (${path.length} characters)`

export const shownPath = (path: string): string => shortened(path).replace(LINK, '$1…')
