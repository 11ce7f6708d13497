/** Counts of missing files whose events are deleted while the peer answers. */
import { expect, it } from 'vitest'
import { WantedCount, type WantedFile } from '../../../src/store/engine/wantedCount.js'
import { createFileReceiver, MAX_WHOLE } from '../../../src/sync/session/fileReceiver.js'
import type { Files, PartialFile } from '../../../src/sync/session/replica.js'
import { createStatusKeeper } from '../../../src/sync/session/status.js'
import type { Message } from '../../../src/sync/wire/message.js'

const FILE: WantedFile = { digest: 'aa', size: 3 }
const nextTurn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve))

interface Fixture {
  receiver: ReturnType<typeof createFileReceiver>
  requests: Message[]
  /** Removes the only reference to the file. */
  deleteEvent(): void
  /** Adds an event with a file that the account lacks. */
  addEvent(another: WantedFile): void
  filesMissing(): number
}

/** Creates the receiver of an account that lacks one file. */
function lackingOne(changes: Partial<Files> = {}, file = FILE): Fixture {
  const wanted = new WantedCount()
  const list = [file]
  wanted.stage({ ...file, isWanted: true })
  const requests: Message[] = []
  const status = createStatusKeeper(() => ({ sent: 0, received: 0 }))
  const partial: PartialFile = {
    offset: 0,
    write: () => Promise.resolve(),
    finish: () => Promise.resolve(true),
    suspend: () => Promise.resolve(),
  }
  const files: Files = {
    wanted,
    follow: (listener) => wanted.follow(listener),
    wantedFrom: () => Promise.resolve({ files: [...list] }),
    isWanted: (digest) => list.some((each) => each.digest === digest),
    isForPeer: () => true,
    read: () => Promise.resolve(undefined),
    begin: () => Promise.resolve(partial),
    ...changes,
  }
  const receiver = createFileReceiver({
    files,
    link: { send: (message) => (requests.push(message), Promise.resolve()), messages: () => expect.unreachable() },
    status,
    onChange: () => {},
    onFault: (error) => expect.unreachable(String(error)),
  })
  receiver.begin()
  return {
    receiver,
    requests,
    deleteEvent() {
      list.pop()
      wanted.stage({ ...file, isWanted: false })
      wanted.committed({ ...file, isWanted: false })
    },
    addEvent(another) {
      list.push(another)
      wanted.stage({ ...another, isWanted: true })
      wanted.committed({ ...another, isWanted: true })
    },
    filesMissing: () => status.status.filesMissing,
  }
}

const NONE = { pending: 0, pendingBytes: 0, missing: 0, missingBytes: 0 }

it('is missing while the peer lacks it, and no longer once its event is deleted', async () => {
  const { receiver, requests, deleteEvent, filesMissing } = lackingOne()
  await nextTurn()
  expect(requests).toMatchObject([{ type: 'file-request', digest: 'aa' }])
  await receiver.lack({ type: 'file-lack', digest: 'aa', expected: false })
  expect(filesMissing()).toBe(1)
  deleteEvent()
  expect(receiver.left).toEqual(NONE)
  expect(filesMissing()).toBe(0)
  await receiver.stop()
})

it('is not missing when the peer states that it lacks it after its event was deleted', async () => {
  const { receiver, deleteEvent, filesMissing } = lackingOne()
  await nextTurn()
  deleteEvent()
  await receiver.lack({ type: 'file-lack', digest: 'aa', expected: false })
  expect(receiver.left).toEqual(NONE)
  expect(filesMissing()).toBe(0)
  await receiver.stop()
})

it('is not missing when its last part does not match after its event was deleted', async () => {
  let finish: (isWhole: boolean) => void = () => {}
  const partial = { offset: 3, write: () => Promise.resolve(), finish: () => new Promise<boolean>((resolve) => (finish = resolve)), suspend: () => Promise.resolve() }
  const { receiver, deleteEvent } = lackingOne({ begin: () => Promise.resolve(partial) })
  await nextTurn()
  deleteEvent()
  finish(false)
  await nextTurn()
  expect(receiver.left).toEqual(NONE)
  await receiver.stop()
})

it('does not reduce the count of pending files when its event is deleted while the exchange is asked about it', async () => {
  let answer: (isForPeer: boolean) => void = () => {}
  const { receiver, deleteEvent, addEvent } = lackingOne({ isForPeer: () => new Promise<boolean>((resolve) => (answer = resolve)) })
  await nextTurn()
  deleteEvent()
  answer(false)
  await nextTurn()
  addEvent({ digest: 'bb', size: 5 })
  expect(receiver.left).toEqual({ ...NONE, pending: 1, pendingBytes: 5 })
  await receiver.stop()
})

it('is not missing when the peer sends less than the size of a large file after its event was deleted', async () => {
  const size = MAX_WHOLE + 1
  const { receiver, deleteEvent } = lackingOne({}, { digest: 'aa', size })
  await nextTurn()
  deleteEvent()
  await receiver.part({ type: 'file-part', digest: 'aa', offset: 0, bytes: new Uint8Array(1) })
  expect(receiver.left).toEqual(NONE)
  await receiver.stop()
})
