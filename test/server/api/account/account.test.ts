/** account.get and the legacy fields of account.update: docs/interface/account.md#reading-and-updating. */
import { expect } from 'vitest'
import { request } from '../../../support/nodes/node.js'
import { badEmails, badLanguages, goodEmails, goodLanguages } from '../../../support/http/badValues.js'
import { describeMethod, newStage, type Row, type Stage } from '../../../support/http/methodTable.js'
import { announced, watch } from '../../../support/http/announcedChanges.js'

type Json = Record<string, unknown>

const accountIn = (result: Json): Json => result['account'] as Json
const read = async (s: Stage): Promise<Json> => accountIn(await s.arrange('account.get', {}))
const fieldOf = async (s: Stage, id: string): Promise<Json> =>
  (await request(`${s.node.url}${s.username}/events/${id}`, { token: s.owner })).body['event'] as Json
const holderOf = async (s: Stage, address: string): Promise<unknown> =>
  (await request(`${s.node.url}reg/${address}/username`)).body['username']

const registered = (value: string): Json => ({
  value,
  primary: true,
  status: 'verified',
  verifiedAt: null,
  verificationMethod: 'registration',
})

const fields = [
  { id: 'email', type: 'email/string', isIndexed: true, isUnique: true, isRequiredInValidation: true },
  { id: 'nickname', type: 'nickname/string', default: 'none' },
  { id: 'secret', type: 'secret/string', isShown: false, default: 'hidden value' },
]
const settings = { 'custom.systemStreams.account': fields }

const personalOnly = (send: unknown): Row[] =>
  (['manage', 'read'] as const).map((level) => ({
    it: `refuses an app with ${level} on all streams`,
    send,
    as: [{ streamId: '*', level }],
    gives: [403, 'forbidden'],
  }))

describeMethod(
  'account.get',
  [
    {
      it: 'returns the legacy fields and the list of addresses only',
      gives: 200,
      then(result, s) {
        const email = `${s.username}@example.org`
        expect(accountIn(result)).toEqual({
          username: s.username,
          email,
          language: 'en',
          storageUsed: { dbDocuments: expect.any(Number) as number, attachedFiles: 0 },
          emails: [registered(email)],
        })
      },
    },
    {
      it: 'counts the storage used immediately after each write',
      gives: 200,
      async then(result, s) {
        await watch(s)
        const changes = announced(s).length
        const usedIn = (answer: Json): number => (accountIn(answer)['storageUsed'] as { dbDocuments: number }).dbDocuments
        let last = usedIn(result)
        expect(last).toBeGreaterThan(0)
        await s.arrange('streams.create', { id: 'used', name: 'Used' })
        for (const size of [1000, 50_000]) {
          await s.arrange('events.create', { streamIds: ['used'], type: 'note/txt', content: 'x'.repeat(size) })
          const used = usedIn(await s.arrange('account.get', {}))
          expect(used).toBeGreaterThanOrEqual(last + size)
          last = used
        }
        // Reading the storage used announces no change to clients.
        const afterWrites = announced(s).length
        for (let i = 0; i < 5; i++) await s.arrange('account.get', {})
        expect(announced(s)).toHaveLength(afterWrites)
        expect(afterWrites).toBeGreaterThan(changes)
      },
    },
    { it: 'ignores parameters', send: { other: 'x' }, gives: 200 },
    ...personalOnly({}),
  ],
  settings,
)

describeMethod(
  'account.update',
  [
    {
      it: 'changes the address and the language, in the response and in the store',
      async given(s) {
        await watch(s)
        return { update: { email: `new-${s.username}@example.org`, language: 'fr' } }
      },
      gives: 200,
      async then(result, s) {
        const email = `new-${s.username}@example.org`
        expect(accountIn(result)).toMatchObject({ username: s.username, email, language: 'fr' })
        expect(Object.keys(accountIn(result)).sort()).toEqual(['email', 'emails', 'language', 'storageUsed', 'username'])
        expect(announced(s).filter((entry) => entry.startsWith('event'))).toEqual([
          'event update :system:email',
          'event update :_system:language',
        ])
        expect(await read(s)).toMatchObject({ email, language: 'fr' })
        expect(await fieldOf(s, ':system:email')).toMatchObject({ content: email, type: 'email/string' })
        expect(await fieldOf(s, ':_system:language')).toMatchObject({ content: 'fr' })
        expect(await holderOf(s, email)).toBe(s.username)
      },
    },
    {
      it: 'changes nothing for an empty update',
      async given(s) {
        await watch(s)
        return { update: {} }
      },
      gives: 200,
      then: (_, s) => expect(announced(s)).toEqual([]),
    },
    {
      it: 'changes nothing for the current values',
      async given(s) {
        await watch(s)
        return { update: { email: `${s.username}@example.org`, language: 'en' } }
      },
      gives: 200,
      then: (_, s) => expect(announced(s)).toEqual([]),
    },
    {
      it: 'accepts another letter case of the current address',
      given: (s) => ({ update: { email: `${s.username.toUpperCase()}@Example.org` } }),
      gives: 200,
      async then(result, s) {
        const email = `${s.username.toUpperCase()}@Example.org`
        expect(accountIn(result)).toMatchObject({ email, emails: [registered(email)] })
        expect(await fieldOf(s, ':system:email')).toMatchObject({ content: email })
        expect(await holderOf(s, email.toLowerCase())).toBe(s.username)
      },
    },
    {
      it: 'refuses the address of another account, and applies no other field',
      async given(s) {
        const other = await newStage(s.node)
        return { update: { email: `${other.username}@example.org`, language: 'de' } }
      },
      gives: [409, 'item-already-exists'],
      async then(result, s) {
        const { data } = result['error'] as { data: Json }
        expect(Object.keys(data)).toEqual(['email'])
        expect(data['email']).toMatch(/@example\.org$/)
        expect(await read(s)).toMatchObject({ email: `${s.username}@example.org`, language: 'en' })
      },
    },
    ...goodLanguages.map((language): Row => ({
      it: `accepts the language ${language}`,
      send: { update: { language } },
      gives: 200,
      then: (result) => expect(accountIn(result)['language']).toBe(language),
    })),
    ...goodEmails.map((email): Row => ({
      it: `accepts the address ${email}, with surrounding spaces`,
      given: (s) => ({ update: { email: ` ${s.username}.${email} ` } }),
      gives: 200,
      then: (result, s) => expect(accountIn(result)['email']).toBe(`${s.username}.${email}`),
    })),
    ...(['username', 'attachedFiles', 'storageUsed', 'nickname', 'secret', 'appId'] as const).map(
      (name): Row => ({
        it: `refuses the field ${name}`,
        send: { update: { [name]: 'something' } },
        gives: [400, 'invalid-parameters-format'],
        then(result) {
          const { data } = result['error'] as { data: Json[] }
          expect(data).toHaveLength(1)
          expect(data[0]).toMatchObject({ code: 'OBJECT_ADDITIONAL_PROPERTIES' })
        },
      }),
    ),
    ...[
      { email: 5 },
      { email: '' },
      { email: 'x'.repeat(301) },
      { language: '' },
      { language: 'toolong' },
      { language: null },
      { emails: [] },
      { emails: { drop: ['x@y'] } },
      { emails: { add: 'x@y' } },
      { emails: { add: ['no address'] } },
      { emails: { add: ['a@b\r\nBcc: c@d'] } },
      { emails: { add: Array.from({ length: 21 }, (_, i) => `a${i}@example.org`) } },
      { emails: { setPrimary: 5 } },
      ...badEmails.map((email) => ({ email })),
      ...badEmails.map((email) => ({ emails: { add: [email] } })),
      ...badLanguages.map((language) => ({ language })),
    ].map(
      (update): Row => ({
        it: `refuses ${JSON.stringify(update).slice(0, 60)}`,
        send: { update },
        gives: [400, 'invalid-parameters-format'],
      }),
    ),
    ...personalOnly({ update: { language: 'fr' } }),
  ],
  settings,
)

describeMethod(
  'account.update',
  [
    {
      it: 'refuses a field configured as read-only',
      given: (s) => ({ update: { email: `other-${s.username}@example.org` } }),
      gives: [400, 'invalid-operation'],
      data: { field: 'email' },
      then: async (_, s) => expect(await read(s)).toMatchObject({ email: `${s.username}@example.org` }),
    },
    {
      it: 'refuses additional addresses for a read-only field',
      given: (s) => ({ update: { emails: { add: [`other-${s.username}@example.org`] } } }),
      gives: [400, 'invalid-operation'],
      data: { field: 'email' },
    },
  ],
  { 'custom.systemStreams.account': [{ ...fields[0], isEditable: false }] },
)

describeMethod(
  'account.update',
  [
    {
      it: 'sets a non-unique address that another account has',
      async given(s) {
        const other = await newStage(s.node)
        return { update: { email: `${other.username}@example.org` } }
      },
      gives: 200,
      async then(result, s) {
        const { email, emails } = accountIn(result)
        expect(email).not.toBe(`${s.username}@example.org`)
        expect(emails).toEqual([registered(String(email))])
        expect(await fieldOf(s, ':system:email')).toMatchObject({ content: email })
      },
    },
    { it: 'refuses additional addresses for a non-unique field', send: { update: { emails: { add: ['a@b'] } } }, gives: [400, 'invalid-operation'] },
  ],
  { 'custom.systemStreams.account': [{ id: 'email', type: 'email/string' }] },
)
