/**
 * Messages of the etcd API v3 that the client uses, as methods with an encoder of requests and a decoder of responses
 * (`rpc.proto` and `kv.proto` of etcd). Text is UTF-8.
 */
import type { Condition, KeyValue, Operation, RangeRequest, RangeResult, TransactionRequest, TransactionResult, WatchEvent } from './api.js'
import { bytesField, decimalField, fieldsOf, flagField, integerField, MalformedMessage, messageField, type Encoded, type Field } from './protobuf.js'

/** A method of a service. With `isStream`, requests and responses are streams. */
export interface Method<Request, Response> {
  path: string
  isStream?: true
  encode(request: Request): Buffer
  decode(bytes: Buffer): Response
}

/** Part of each response: which cluster and member answered, at which revision. */
interface Header {
  clusterId: string
  memberId: string
  revision: number
}

const NOTHING = Buffer.alloc(0)
const ZERO_BYTE = Buffer.of(0)

/** Calls a function for each field of a message. */
function decodeFields(message: Buffer, read: (field: Field) => void): void {
  for (const field of fieldsOf(message)) read(field)
}

function decodeHeader(message: Buffer): Header {
  const header = { clusterId: '0', memberId: '0', revision: 0 }
  decodeFields(message, (field) => {
    if (field.number === 1) header.clusterId = field.unsignedDecimal()
    else if (field.number === 2) header.memberId = field.unsignedDecimal()
    else if (field.number === 3) header.revision = field.integer()
  })
  return header
}

function decodeKeyValue(message: Buffer): KeyValue {
  const item: KeyValue = { key: '', value: '', revision: 0 }
  decodeFields(message, (field) => {
    if (field.number === 1) item.key = field.text()
    else if (field.number === 3) item.revision = field.integer()
    else if (field.number === 5) item.value = field.text()
    else if (field.number === 6) {
      const lease = field.decimal()
      if (lease !== '0') item.lease = lease
    }
  })
  return item
}

/** Returns the end of the range of keys with a prefix, exclusive. Exported for tests. */
export function endOfPrefix(prefix: string): Buffer {
  const bytes = Buffer.from(prefix, 'utf8')
  for (let last = bytes.length - 1; last >= 0; last--) {
    const byte = bytes[last] ?? 0
    if (byte < 255) return Buffer.concat([bytes.subarray(0, last), Buffer.of(byte + 1)])
  }
  // Every key: there is no byte to increase.
  return ZERO_BYTE
}

/** Returns the fields `key` and `range_end`. etcd has no empty key: a prefix of all keys starts at a zero byte. */
function keysFields(prefix: string): Encoded[] {
  return [bytesField(1, prefix === '' ? ZERO_BYTE : prefix), bytesField(2, endOfPrefix(prefix))]
}

function rangeFields({ key, isPrefix, after, limit, revision, isSerializable, keysOnly, countOnly }: RangeRequest): Buffer {
  const keys = isPrefix === true ? keysFields(key) : [bytesField(1, key)]
  if (isPrefix === true && after !== undefined) {
    const start = Buffer.concat([Buffer.from(after, 'utf8'), ZERO_BYTE])
    if (Buffer.compare(start, Buffer.from(key, 'utf8')) > 0) keys[0] = bytesField(1, start)
  }
  return Buffer.concat([
    ...keys,
    limit === undefined ? NOTHING : integerField(3, limit),
    revision === undefined ? NOTHING : integerField(4, revision),
    flagField(7, isSerializable),
    flagField(8, keysOnly),
    flagField(9, countOnly),
  ])
}

function decodeRange(message: Buffer): RangeResult {
  const result: RangeResult = { items: [], count: 0, revision: 0 }
  decodeFields(message, (field) => {
    if (field.number === 1) result.revision = decodeHeader(field.bytes()).revision
    else if (field.number === 2) result.items.push(decodeKeyValue(field.bytes()))
    else if (field.number === 4) result.count = field.integer()
  })
  return result
}

const EQUAL = 0
const NOT_EQUAL = 3
const CREATE_REVISION = 1
const MOD_REVISION = 2

/** Encodes a condition. The revision is encoded even when it is 0: without the field, members compare with the version. */
function condition(each: Condition): Buffer {
  const compares = (result: number, target: number, value: Encoded): Buffer =>
    Buffer.concat([integerField(1, result), integerField(2, target), bytesField(3, each.key), value])
  if ('isAbsent' in each) return compares(EQUAL, CREATE_REVISION, integerField(5, 0))
  if ('isPresent' in each) return compares(NOT_EQUAL, CREATE_REVISION, integerField(5, 0))
  return compares(EQUAL, MOD_REVISION, integerField(6, each.ifRevision))
}

function operation(each: Operation): Buffer {
  if ('range' in each) return bytesField(1, rangeFields(each.range))
  if ('put' in each) {
    return messageField(2, bytesField(1, each.put), bytesField(2, each.value), each.lease === undefined ? NOTHING : decimalField(3, each.lease))
  }
  return messageField(3, ...(each.isPrefix === true ? keysFields(each.delete) : [bytesField(1, each.delete)]))
}

function decodeOperation(message: Buffer, revision: number): TransactionResult['results'][number] {
  let result: TransactionResult['results'][number] | undefined
  decodeFields(message, (field) => {
    // Results within a transaction have no header of their own.
    if (field.number === 1) result = { ...decodeRange(field.bytes()), revision }
    else if (field.number === 2) result = { put: true }
    else if (field.number === 3) result = { deleted: decodeDeleted(field.bytes()) }
  })
  if (result === undefined) throw new MalformedMessage('the result of an operation is empty')
  return result
}

function decodeDeleted(message: Buffer): number {
  let deleted = 0
  decodeFields(message, (field) => {
    if (field.number === 2) deleted = field.integer()
  })
  return deleted
}

function decodeTransaction(message: Buffer): TransactionResult {
  let succeeded = false
  let revision = 0
  const results: Buffer[] = []
  decodeFields(message, (field) => {
    if (field.number === 1) revision = decodeHeader(field.bytes()).revision
    else if (field.number === 2) succeeded = field.flag()
    else if (field.number === 3) results.push(field.bytes())
  })
  return { succeeded, revision, results: results.map((each) => decodeOperation(each, revision)) }
}

export const RANGE: Method<RangeRequest, RangeResult> = { path: '/etcdserverpb.KV/Range', encode: rangeFields, decode: decodeRange }

export const TRANSACTION: Method<TransactionRequest, TransactionResult> = {
  path: '/etcdserverpb.KV/Txn',
  encode: (request) =>
    Buffer.concat([
      ...(request.if ?? []).map((each) => bytesField(1, condition(each))),
      ...request.then.map((each) => bytesField(2, operation(each))),
      ...(request.else ?? []).map((each) => bytesField(3, operation(each))),
    ]),
  decode: decodeTransaction,
}

export const COMPACT: Method<number, void> = {
  path: '/etcdserverpb.KV/Compact',
  encode: (revision) => integerField(1, revision),
  decode: decodeNothing,
}

export const GRANT: Method<{ lease: string; seconds: number }, void> = {
  path: '/etcdserverpb.Lease/LeaseGrant',
  encode: ({ lease, seconds }) => Buffer.concat([integerField(1, seconds), decimalField(2, lease)]),
  decode: decodeNothing,
}

export const REVOKE: Method<string, void> = {
  path: '/etcdserverpb.Lease/LeaseRevoke',
  encode: (lease) => decimalField(1, lease),
  decode: decodeNothing,
}

/** Renews a lease; the response has the seconds that it now has, 0 when it has ended. */
export const KEEP_ALIVE: Method<string, number> = {
  path: '/etcdserverpb.Lease/LeaseKeepAlive',
  isStream: true,
  encode: (lease) => decimalField(1, lease),
  decode(message) {
    let seconds = 0
    decodeFields(message, (field) => {
      if (field.number === 3) seconds = field.integer()
    })
    return seconds
  },
}

function decodeNothing(message: Buffer): void {
  decodeFields(message, () => {})
}

/** Request on a stream of watches: the creation of its watch, or a request for a sign that the member is alive. */
export type WatchRequest = { prefix: string; startRevision: number } | { isProgress: true }

export interface WatchResponse {
  header: Header
  isCreated: boolean
  isCanceled: boolean
  /** Revision that the member has compacted, when it canceled the watch for that reason; otherwise 0. */
  compactRevision: number
  cancelReason: string
  /** True when the next response continues this one. */
  isFragment: boolean
  events: WatchEvent[]
}

const NO_HEADER: Header = { clusterId: '0', memberId: '0', revision: 0 }

export const WATCH: Method<WatchRequest, WatchResponse> = {
  path: '/etcdserverpb.Watch/Watch',
  isStream: true,
  encode(request) {
    if ('isProgress' in request) return messageField(3)
    return messageField(1, ...keysFields(request.prefix), integerField(3, request.startRevision), flagField(8, true))
  },
  decode(message) {
    const response: WatchResponse = {
      header: NO_HEADER, isCreated: false, isCanceled: false, compactRevision: 0, cancelReason: '', isFragment: false, events: [],
    }
    decodeFields(message, (field) => {
      if (field.number === 1) response.header = decodeHeader(field.bytes())
      else if (field.number === 3) response.isCreated = field.flag()
      else if (field.number === 4) response.isCanceled = field.flag()
      else if (field.number === 5) response.compactRevision = field.integer()
      else if (field.number === 6) response.cancelReason = field.text()
      else if (field.number === 7) response.isFragment = field.flag()
      else if (field.number === 11) response.events.push(decodeEvent(field.bytes()))
    })
    return response
  },
}

function decodeEvent(message: Buffer): WatchEvent {
  let isRemoval = false
  let item: KeyValue = { key: '', value: '', revision: 0 }
  decodeFields(message, (field) => {
    if (field.number === 1) isRemoval = field.integer() === 1
    else if (field.number === 2) item = decodeKeyValue(field.bytes())
  })
  return { key: item.key, revision: item.revision, ...(isRemoval ? {} : { item }) }
}

interface StatusResponse {
  header: Header
  version: string
  dbBytes: number
  /** Id of the leader, `0` when the member knows none. */
  leaderId: string
  /** Problems of the member, and alarms of the cluster as text. */
  errors: string[]
}

export const STATUS: Method<void, StatusResponse> = {
  path: '/etcdserverpb.Maintenance/Status',
  encode: () => NOTHING,
  decode(message) {
    const response: StatusResponse = { header: NO_HEADER, version: '', dbBytes: 0, leaderId: '0', errors: [] }
    decodeFields(message, (field) => {
      if (field.number === 1) response.header = decodeHeader(field.bytes())
      else if (field.number === 2) response.version = field.text()
      else if (field.number === 3) response.dbBytes = field.integer()
      else if (field.number === 4) response.leaderId = field.unsignedDecimal()
      else if (field.number === 8) response.errors.push(field.text())
    })
    return response
  },
}
