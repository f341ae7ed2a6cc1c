/** Routes for people and their plans. */

import { Elysia } from 'elysia'
import { invalidField } from '../../errors.ts'
import { fieldText } from '../../field-texts/field-text.ts'
import { bodySchema } from '../../http/body/body-schema.ts'
import { succeedWithTag } from '../../http/entity-tags.ts'
import { succeed } from '../../http/envelope.ts'
import { callerOf, subjectOf } from '../../http/request-context.ts'
import { tierNames } from '../../stores/postgres/accounts/enterprises.ts'
import * as people from '../../stores/postgres/accounts/people.ts'
import { changeSeen, type RecordToChange } from './changes.ts'
import { type ManageDeps, REMOVAL_WAIT_MS } from './deps.ts'
import * as model from './model.ts'
import { PERSON } from './subject-paths.ts'

const personRecord = (id: string): RecordToChange => ({
  kind: 'person',
  id,
  read: (db) => people.getPerson(db, id),
})

export function peopleRoutes({ db, idempotency, changes, fileRemovals, hashing }: ManageDeps) {
  const changed = (id: string): Promise<void> => changes.publish({ kind: 'person', id })
  async function checkPlan(plan: string | undefined): Promise<void> {
    if (plan === undefined) return
    const names = await tierNames(db, 'person')
    if (!names.includes(plan)) throw invalidField('body.plan', 'enum', fieldText('oneOf', { values: names.join(', ') }))
  }
  const hashOf = async (password: string | undefined): Promise<string | undefined> =>
    password === undefined ? undefined : hashing.hash(password)
  const { operation } = model

  return new Elysia({ name: 'manage-people' })
    .post(
      '/people',
      async ({ request, body: { password, ...input } }) => {
        await checkPlan(input.plan)
        const hash = await hashOf(password)
        return idempotency.kept(
          request,
          (tx) => people.createPerson(tx, callerOf(request), input, hash),
          (person) => succeed(request, person),
        )
      },
      operation(
        'Create a person',
        'With `password`, the person can sign in to the portal at once; without it, make a link for the person.',
        { body: bodySchema(model.personInput) },
      ),
    )
    .get('/people', async ({ request, query }) => succeed(request, await people.listPeople(db, model.pageOf(query))), {
      query: model.pageQuery,
      ...operation('List people'),
    })
    .get(
      PERSON,
      async ({ request }) => succeedWithTag(request, await people.getPerson(db, subjectOf(request))),
      operation('Get a person'),
    )
    .patch(
      PERSON,
      async ({ request, body: { password, ...change } }) => {
        await checkPlan(change.plan)
        const hash = await hashOf(password)
        const person = await changeSeen(request, db, personRecord(subjectOf(request)), (tx) =>
          people.updatePerson(tx, callerOf(request), subjectOf(request), change, hash),
        )
        await changed(person.id)
        // a suspended person is removed from the account's sessions
        if (person.accountId !== null) await changes.publish({ kind: 'account', id: person.accountId })
        return succeedWithTag(request, person)
      },
      operation(
        'Update a person',
        'Changes the sent fields. Suspend or reactivate the account with `status`. A new `password` ends all sessions of the account.',
        { body: bodySchema(model.personChange) },
      ),
    )
    .delete(
      PERSON,
      async ({ request }) => {
        const accountId = await changeSeen(request, db, personRecord(subjectOf(request)), (tx) =>
          people.deletePerson(tx, callerOf(request), subjectOf(request)),
        )
        await changed(subjectOf(request))
        if (accountId !== undefined) await changes.publish({ kind: 'account', id: accountId })
        await fileRemovals.remove(REMOVAL_WAIT_MS)
        return succeed(request, { id: subjectOf(request) })
      },
      operation(
        'Delete a person',
        'Deletes the person with all layers, files, runs and Tool APIs that they own, and the account, unless it has rights elsewhere. Entries of the audit log lose their contents.',
      ),
    )
}
