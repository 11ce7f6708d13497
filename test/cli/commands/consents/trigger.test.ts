import { describe, expect, it } from 'vitest'
import { runTrigger, provideScope } from '../../../../src/cli/commands/consents/shared/trigger.js'
import { outputTo } from '../../../../src/cli/terminal/output/out.js'
import type { Context } from '../../../../src/cli/command.js'
import { typedClient, type NodeClient } from '../../../../src/cli/client/nodeClient.js'
import { Failure } from '../../../../src/store/model/failure.js'
import { screen } from '../../support/testTerminal.js'

const as = { user: 'ben-hopper' }
const trigger = { streamId: ':_cmc:apps:study', type: 'consent/accept-cmc', content: {} }

/** Runs the trigger against a node that answers with these contents in turn, then repeats the last. */
function startTrigger(contents: object[], timeoutMs = 5000): { done: Promise<unknown>; err(): string } {
  const shown = screen({ stderr: true })
  const remaining = [...contents]
  const client: NodeClient = typedClient({
    kind: 'socket' as const,
    call: (method: string): Promise<Record<string, unknown>> => {
      if (method === 'events.create') return Promise.resolve({ event: { id: 'e1', content: {} } })
      return Promise.resolve({ event: { id: 'e1', content: remaining.length > 1 ? remaining.shift() : remaining[0] } })
    },
    texts: () => {
      throw new Error('unexpected call')
    },
    close: () => Promise.resolve(),
  })
  const context = {
    out: outputTo(shown.terminal(), { json: false, quiet: false }),
    flags: { timeoutMs },
    commandFor: (...words: string[]) => ['coffer', ...words].join(' '),
  } as unknown as Context
  return { done: runTrigger(context, client, as, trigger), err: shown.err }
}

describe('an event that triggers an operation', () => {
  it('is polled until it is completed, with progress on stderr', async () => {
    const { done, err } = startTrigger([{}, { status: 'delivered' }, { status: 'completed', accessId: 'a' }])
    expect(await done).toEqual({ id: 'e1', content: { status: 'completed', accessId: 'a' } })
    expect(err()).toContain('Waiting for the other account')
  })

  const failures: [failure: unknown, exit: number, words: string][] = [
    [{ reason: 'cmc-capability-invalid' }, 5, 'has expired (cmc-capability-invalid)'],
    [{ reason: 'cmc-capability-consumed', detail: { status: 400, body: { secret: 'x' } } }, 6, 'has already been used (cmc-capability-consumed, HTTP 400)'],
    [{ reason: 'cmc-handler-delivery-failed', detail: { cause: 'ECONNREFUSED' } }, 75, 'cmc-handler-delivery-failed, ECONNREFUSED'],
    [{ reason: 'cmc-handler-delivery-rejected', detail: { status: 400, body: { error: { message: 'secret' } } } }, 1, 'rejected the answer (cmc-handler-delivery-rejected, HTTP 400)'],
    [
      { reason: 'cmc-handler-delivery-rejected', detail: { status: 400, body: { error: { message: 'secret', data: { id: 'cmc-handler-counterparty-unknown' } } } } },
      ...([1, 'did not find this account at its address (cmc-handler-delivery-rejected, HTTP 400)'] as const),
    ],
    [{ reason: 'cmc-insufficient-permissions' }, 4, 'cannot grant more permissions than it has'],
    [{ reason: 'cmc-of-a-later-release' }, 1, 'The operation failed (cmc-of-a-later-release)'],
    [{ reason: { odd: true } }, 1, 'The operation failed (unknown)'],
    [undefined, 1, 'The operation failed (unknown)'],
  ]
  it.each(failures)('that failed with %j exits %i', async (failure, exit, words) => {
    const { done } = startTrigger([{ status: 'failed', ...(failure === undefined ? {} : { failure }) }])
    await expect(done).rejects.toMatchObject({ exit, message: expect.stringContaining(words) })
    await expect(done).rejects.not.toMatchObject({ message: expect.stringContaining('secret') })
  })

  it('that takes longer than --timeout exits 8, and suggests how to check it later', async () => {
    const { done } = startTrigger([{ status: 'delivered' }], 1)
    await expect(done).rejects.toMatchObject({ exit: 8, hint: 'See: coffer events show e1 --user ben-hopper' })
  })
})

describe('the streams of a scope', () => {
  const recorder = (answer: (id: string) => Error | undefined) => {
    const created: unknown[] = []
    const call = (_method: string, params: unknown): Promise<Record<string, unknown>> => {
      const error = answer((params as { id: string }).id)
      if (error !== undefined) return Promise.reject(error)
      created.push(params)
      return Promise.resolve({})
    }
    return { client: typedClient({ call }) as NodeClient, created }
  }

  it('are created from the root down, except those that exist', async () => {
    const { client, created } = recorder((id) => (id === ':_cmc:apps:study' ? new Failure('item-already-exists') : undefined))
    expect(await provideScope(client, as, ':_cmc:apps:study:a:b')).toBe(':_cmc:apps:study:a:b')
    expect(created).toEqual([
      { id: ':_cmc:apps:study:a', name: 'a', parentId: ':_cmc:apps:study' },
      { id: ':_cmc:apps:study:a:b', name: 'b', parentId: ':_cmc:apps:study:a' },
    ])
  })

  it('that the node refuses cause the failure of the node', async () => {
    const { client } = recorder(() => new Failure('forbidden'))
    await expect(provideScope(client, as, ':_cmc:apps:study')).rejects.toMatchObject({ id: 'forbidden' })
  })
})
