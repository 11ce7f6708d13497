/** State machine of a session: greetings, start of both sides, then dispatch of messages. */
import { Failure } from '../../store/model/failure.js'
import type { Channel } from '../channel/channel.js'
import type { ItemRef, Outcome, WithdrawalEntry } from '../wire/entry.js'
import { damaged, ProtocolError } from '../wire/protocolError.js'
import type { Begin, Group, Hello, Message } from '../wire/message.js'
import { createComparison, createReconciliation } from './comparison.js'
import { createItemFetcher, createReceiver } from './receiver.js'
import { createFileSender } from './fileSender.js'
import { createFileReceiver } from './fileReceiver.js'
import { createSender } from './sender.js'
import { areInSync, checkHello, makeHello, planOf, type Plan } from './hello.js'
import { maySend, mayReceive } from '../../store/replication/peers.js'
import type { Replica } from './replica.js'
import { findStaleCopies, staleCopiesAdvertised } from './withdrawals.js'
import { createMessageStream } from './messageStream.js'
import { createItemReader } from './itemReader.js'
import type { Session, SessionEnd, SessionLog } from './types.js'
import { createShareKeeper } from './shareKeeper.js'
import { createStatusKeeper } from './status.js'
import { followFeedTail } from './feedReader.js'

interface ProtocolOptions {
  channel: Channel
  replica: Replica
  /** Seconds. */
  now(): number
  log: SessionLog
  /** Maximum clock difference in seconds. */
  maxSkew: number
  /** Product name and version for the greeting. */
  product?: string
  /** Random id of this process, sent in the greeting. */
  instance?: string
}

/** Milliseconds to wait for the last message to be sent. */
const END_MESSAGE_WAIT = 2000

/** End reasons that are temporary. */
const TEMPORARY: ReadonlySet<SessionEnd['reason']> = new Set(['closed', 'lost', 'paused', 'no-space'])

const NO_SPACE = 'The disk of the other node is full: it receives nothing until space is freed.'

/** Seconds after which a new session sends items put aside again. */
const RETRY_S = 3600

const ENDED_EARLY = 'The session ended before the comparison was complete.'

/** Starts the protocol over a channel; it runs until the session ends. */
export async function runProtocol(options: ProtocolOptions): Promise<Session> {
  const { channel, replica, now, log, maxSkew, product = 'coffer', instance = '' } = options
  const link = createMessageStream(channel)
  const status = createStatusKeeper(() => ({ sent: channel.sent, received: channel.received }))
  let isOver = false
  /** The greeting of the other side, accepted or not. */
  let greeted: Hello | undefined
  let resolveEnd: (end: SessionEnd) => void = () => {}
  const ended = new Promise<SessionEnd>((resolve) => {
    resolveEnd = resolve
  })
  let resolveGreeted = (): void => {}
  /** Resolves once the peer's greeting was accepted, or the session has ended. */
  const afterGreeting = new Promise<void>((resolve) => {
    resolveGreeted = resolve
  })

  /** Ends the session after an error. Errors of a closed channel are not reported as a reason of their own. */
  function onFault(error: unknown): void {
    if (isOver) return
    if (error instanceof ProtocolError) return void leave(error.reason, error.message, false, true)
    if (error instanceof Failure && error.id === 'storage-full') {
      log.warn('A session ended: the disk of this node is full.')
      return void leave('no-space', NO_SPACE, false, true, 'The disk of this node is full: nothing is received until space is freed.')
    }
    const isLost = error instanceof Error && error.name === 'ChannelError'
    if (!isLost) log.warn('A session ended after an error of this node.', { error: String(error) })
    void leave('lost', isLost ? 'The connection was lost.' : 'This node had an internal error.', false, !isLost)
  }

  const scheduleComparison = (): void => comparing?.schedule()
  let comparing: ReturnType<typeof createComparison> | undefined
  const tail = followFeedTail(replica.feed, () => sender.wake())
  const sender = createSender({ replica, link, tail, status, onIdle: scheduleComparison, onFault })
  const fetching = createItemFetcher({ replica, link, onIdle: scheduleComparison, onFault })
  const fileReceiver = createFileReceiver({ files: replica.files, link, status, onChange: scheduleComparison, onFault })
  const fileSender = createFileSender(replica.files, link, onFault)
  const onDone = (): void => {
    createShareKeeper(replica)
      .forgetOutside()
      .then((outside) => {
        sender.withdraw(outside)
        comparing?.reconciled()
        sender.wake()
      })
      .catch(onFault)
  }
  /** Start of the feed, deferred until this side knows which items differ. */
  let afterFound: (() => void) | undefined
  const onFound = (): void => {
    afterFound?.()
    afterFound = undefined
  }
  const reconciling = createReconciliation({ replica, link, sender, onFound, onDone, onFault })
  const requested = (): readonly ItemRef[] | undefined => fetching.requested()
  const receiver = createReceiver({ replica, link, status, requested, onReceived, onFault })

  const withdraw = (left: readonly WithdrawalEntry[]): void => {
    if (left.length > 0) sender.withdraw(left)
  }

  function onReceived(group: Group, outcomes: readonly Outcome[], hasPendingFetches: boolean): void {
    if (group.answers) fetching.requestDone()
    else if (hasPendingFetches) fetching.wake()
    for (const entry of group.entries) if ('files' in entry && entry.files !== undefined) fileReceiver.offered(entry.files.values())
    if (group.reconciled) reconciling.peerDone()
    const known = group.entries.filter((entry, i) => 'changes' in entry && outcomes[i]?.is === 'known')
    if (known.length > 0 && replica.share !== undefined && maySend(replica.scope)) sender.answerKnown(known)
    if (outcomes.some(({ is }) => is === 'refused')) {
      log.info('Entries of a peer were refused.', { peer: replica.peer })
      withdraw(findStaleCopies(replica, group.entries, outcomes))
    }
    if (group.offers.length > 0 && !mayReceive(replica.scope)) staleCopiesAdvertised(replica, group.offers).then(withdraw, onFault)
    scheduleComparison()
  }

  async function leave(reason: SessionEnd['reason'], message: string, byPeer: boolean, notify: boolean, here = message): Promise<void> {
    if (isOver) return
    isOver = true
    resolveGreeted()
    for (const part of [tail, sender, receiver, fetching, comparing]) part?.stop()
    if (notify) {
      const declared = link.send({ type: 'end', reason, message }).catch(() => {})
      let timer: NodeJS.Timeout | undefined
      await Promise.race([declared, new Promise((resolve) => (timer = setTimeout(resolve, END_MESSAGE_WAIT)))])
      clearTimeout(timer)
    }
    channel.close(reason)
    await fileReceiver.stop().catch(() => {})
    const isRefusal = !TEMPORARY.has(reason)
    const isEven = reason === 'closed' && status.status.state === 'in-sync'
    if (isRefusal) status.set({ state: 'refused', reason: here })
    else if (!isEven) status.set({ state: 'behind' })
    resolveEnd({ reason, message: here, byPeer, ...(reason === 'scope' && greeted !== undefined ? { theirScope: greeted.scope } : {}) })
  }

  const mine = await makeHello(replica, product, instance, now())
  let theirs: Hello | undefined
  let peerInstance: string | undefined
  let plan: Plan | undefined
  let begin: Begin | undefined

  function greet(hello: Hello): void {
    if (theirs !== undefined) throw damaged('a second greeting')
    theirs = hello
    greeted = hello
    checkHello(mine, hello, now(), maxSkew)
    const leads = mine.mine.epoch < hello.mine.epoch
    comparing = createComparison({
      replica,
      link,
      status,
      now,
      leads,
      isQuiet: () => sender.isIdle && receiver.isIdle && fetching.isIdle && !reconciling.isRunning,
      progress: () => ({ position: sender.position, given: sender.groups, taken: receiver.groups, ...fileReceiver.left }),
      resumeFeed: () => sender.wake(),
      reconcile: () => reconciling.begin(true),
      onFault,
    })
    peerInstance = hello.instance === '' ? undefined : hello.instance
    resolveGreeted()
    if (!areInSync(mine, hello)) {
      plan = planOf(replica, mine, hello)
      const { how, skip } = plan
      link.send({ type: 'begin', how, ...(skip === undefined ? {} : { skip }) }).catch(onFault)
      return
    }
    // Each side has all entries of the peer's feed up to the position in its greeting.
    if (mine.yours?.epoch !== hello.mine.epoch || mine.yours.sequence !== hello.mine.sequence) receiver.note(hello.mine)
    open({ how: 'feed', from: mine.mine.sequence, whole: false })
    fetching.wake()
    fileReceiver.begin()
    if (mine.pendingFetch === 0 && hello.pendingFetch === 0) comparing.equal()
  }

  function open({ from, whole }: Plan): void {
    sender.feed(from, whole ? mine.mine.sequence : 0)
    if (maySend(replica.scope)) retryAside(now() - RETRY_S).catch(onFault)
    if (replica.share !== undefined && maySend(replica.scope)) adjustShare()
  }

  /** Sends items put aside again: the limit may have changed on either node. */
  async function retryAside(before: number): Promise<void> {
    const items = await replica.aside.list(before)
    if (items.length > 0) await sender.sendItems(createItemReader(replica, items.map((item) => ({ item }))), { reconciled: false })
  }

  /** Withdraws items that left the share, and sends items that came into it, while no session was running. */
  function adjustShare(): void {
    const share = createShareKeeper(replica)
    sender.sendItems(createItemReader(replica, share.missing()), { reconciled: false }).catch(onFault)
    share
      .outsideScope()
      .then((entries) => (entries.length > 0 ? sender.withdraw(entries) : undefined))
      .catch(onFault)
  }

  function beginWith(theirBegin: Begin): void {
    if (plan === undefined || theirs === undefined || begin !== undefined) throw damaged('a begin message out of order')
    begin = theirBegin
    const { skip } = begin
    if (skip !== undefined) {
      if (skip.epoch !== theirs.mine.epoch || skip.sequence !== theirs.mine.sequence) throw damaged('a position other than that of its greeting')
      receiver.note(skip)
    }
    const own = plan
    if (own.how === 'reconcile' || begin.how === 'reconcile') {
      if (replica.share !== undefined) throw damaged('a begin message that is invalid for a share')
      reconciling.begin(mine.mine.epoch < theirs.mine.epoch, own.how === 'reconcile' ? own.from : undefined)
    } else if (own.how === 'items') {
      const items = createItemReader(replica, createShareKeeper(replica).all())
      sender.sendItems(items, { upTo: own.from, reconciled: false }).catch(onFault)
    }
    // A new event may refer to a stream that the peer has not received yet.
    if (own.how === 'reconcile') afterFound = () => open(own)
    // A side that lost part of its own feed, for example after a restore, also needs the entries that came from it.
    else open({ ...own, whole: own.whole || begin.how === 'reconcile' })
    fetching.wake()
    fileReceiver.begin()
  }

  async function dispatch(message: Message): Promise<void> {
    if (message.type === 'end') return leave(message.reason, message.message, true, false)
    if (message.type === 'hello') return greet(message)
    if (theirs === undefined || comparing === undefined) throw damaged('a message before its greeting')
    if (message.type === 'begin') return beginWith(message)
    if (plan !== undefined && begin === undefined) throw damaged('a message before its begin message')
    switch (message.type) {
      case 'group':
        return receiver.receive(message)
      case 'acknowledgement':
        return sender.acknowledge(message)
      case 'request':
        return sender.request(message.items)
      case 'reconcile':
        if (!reconciling.isRunning) reconciling.begin(false)
        return reconciling.receive(message.body)
      case 'state':
        receiver.note(message.position)
        return comparing.receive(message)
      case 'ask':
        if (message.deep) await replica.verify()
        return comparing.answer(message.question)
      case 'file-request':
        return fileSender.request(message)
      case 'file-part':
        return fileReceiver.part(message)
      case 'file-lack':
        return fileReceiver.lack(message)
      case 'copied':
        return status.set({ copiedAt: now() })
      default:
        throw damaged('an unexpected fragment')
    }
  }

  async function listen(): Promise<void> {
    for await (const message of link.messages()) {
      if (isOver) return
      await dispatch(message)
    }
    await leave('lost', 'The connection was lost.', false, false)
  }

  link.send(mine).catch(onFault)
  listen().catch(onFault)

  let questions = 0
  return {
    ended,
    greeted: afterGreeting,
    get peerInstance() {
      return peerInstance
    },
    notifyCopied: () => void link.send({ type: 'copied' }).catch(onFault),
    status: () => status.status,
    onStatus: (listener) => status.on(listener),
    async compare({ deep = false } = {}) {
      if (isOver) throw new Error(ENDED_EARLY)
      questions += 1
      const question = questions
      await afterGreeting
      const settled = comparing?.settled(question)
      if (deep) await replica.verify()
      if (deep && maySend(replica.scope)) await retryAside(Infinity)
      await link.send({ type: 'ask', question, deep }).catch(onFault)
      const found = await settled
      if (found === undefined || (found === 'behind' && isOver)) throw new Error(ENDED_EARLY)
      return found
    },
    close: (reason, message) => leave(reason, message, false, true),
  }
}
