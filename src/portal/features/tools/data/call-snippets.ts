/** The call of a form as a command and as programs: they work as they are shown, once the secret key is filled in. */

import { type FormPart, type Pair, pairHeaders, postOf, type Snippet, snippetsOf } from '../../../ui/snippets.ts'
import { addressOf, type ProcessDescription } from '../process-form/process.ts'
import { type FormContent, inputOf, type Part, partsOf } from '../process-form/values.ts'

/** A file is read from the folder in which the command runs; a stored one is named by its key. */
function formPart({ field, value }: Part): FormPart {
  if (typeof value === 'string') return { field, text: value }
  return value.kind === 'stored' ? { field, text: value.key } : { field, file: value.name }
}

export function callSnippets(process: ProcessDescription, content: FormContent, keys: Pair): Snippet[] {
  const url = location.origin + addressOf(process)
  const headers = pairHeaders(keys)
  return process.svc.execution === 'application/json'
    ? snippetsOf(postOf(url, headers, inputOf(content)))
    : snippetsOf({ method: 'POST', url, headers, form: partsOf(content).map(formPart) })
}
