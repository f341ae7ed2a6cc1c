/** Routes for people and their plans. */

import { Type } from '@sinclair/typebox'
import { Elysia } from 'elysia'
import { NOBODY, THEMSELVES } from '../../access/authorization.ts'
import { MAX_PASSWORD, MIN_PASSWORD } from '../../access/sign-in/password-hashing.ts'
import { invalidField } from '../../errors.ts'
import { fieldText } from '../../field-texts/field-text.ts'
import { bodySchema } from '../../http/body/body-schema.ts'
import { succeedWithTag } from '../../http/entity-tags.ts'
import { succeed } from '../../http/envelope.ts'
import { page, ref } from '../../http/openapi/openapi-schemas.ts'
import { callerOf, subjectOf } from '../../http/request-context.ts'
import { tierNames } from '../../stores/postgres/accounts/enterprises.ts'
import * as people from '../../stores/postgres/accounts/people.ts'
import { changeSeen, type RecordToChange } from './changes.ts'
import { type ManageDeps, REMOVAL_WAIT_MS } from './deps.ts'
import { operation } from './operation.ts'
import { closed, email, pageOf, pageQuery, reason, storedDays } from './request-schemas.ts'
import { deleted } from './response-schemas.ts'
import { PERSON } from './subject-paths.ts'

const personStatus = Type.Union([Type.Literal('active'), Type.Literal('suspended')])
const person = {
  email,
  plan: Type.String({ description: 'Plan, for example free, plus, pro or max' }),
  status: Type.Optional(personStatus),
  suspendedReason: Type.Optional(reason),
  storedDays: Type.Optional(storedDays),
  password: Type.Optional(Type.String({ minLength: MIN_PASSWORD, maxLength: MAX_PASSWORD })),
}
const personInput = Type.Object(person, closed)
const personChange = Type.Partial(Type.Object(person), closed)

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
      operation({
        summary: 'Create a person',
        description:
          'With `password`, the person can sign in to the portal at once; without it, make a link for the person.',
        rights: { of: 'server', for: NOBODY },
        body: bodySchema(personInput),
        result: ref('Person'),
      }),
    )
    .get(
      '/people',
      async ({ request, query }) => succeed(request, await people.listPeople(db, pageOf(query))),
      operation({
        summary: 'List people',
        rights: { of: 'server', for: NOBODY },
        query: pageQuery,
        result: page(ref('Person')),
      }),
    )
    .get(
      PERSON,
      async ({ request }) => succeedWithTag(request, await people.getPerson(db, subjectOf(request))),
      operation({
        summary: 'Get a person',
        rights: { of: 'owner', for: THEMSELVES },
        result: ref('Person'),
      }),
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
      operation({
        summary: 'Update a person',
        description:
          'Changes the sent fields. Suspend or reactivate the account with `status`, with a `suspendedReason` for the person. A new `password` ends all sessions of the account.',
        rights: { of: 'owner', for: NOBODY },
        body: bodySchema(personChange),
        result: ref('Person'),
      }),
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
      operation({
        summary: 'Delete a person',
        description:
          'Deletes the person with all layers, files, runs and Tool APIs that they own, and the account, unless it has rights elsewhere. Entries of the audit log lose their contents.',
        rights: { of: 'owner', for: NOBODY },
        result: deleted,
      }),
    )
}
