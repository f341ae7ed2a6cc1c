/** What each part of the form of rules gets: its values, and the messages of its fields. */
import type { Draft } from '../../../ui/form.ts'
import type { RuleValues } from '../rule-values.ts'
import type { Surroundings } from '../surroundings.ts'

export type FormPart = {
  values: RuleValues
  set: Draft<RuleValues>['set']
  /** @param field as the API names it, for example `conditions.0.value` */
  errorAt(field: string): string | undefined
  /** Checks a field when the person leaves it. */
  leave(field: string): void
  known: Surroundings
}
