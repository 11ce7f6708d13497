/** The messages of etcd, compared with an independent implementation of protocol buffers. */
import fc from 'fast-check'
import protobuf from 'protobufjs'
import { describe, expect, it } from 'vitest'
import type { Condition, Operation } from '../../../../../src/server/platform/registry/etcd/api.js'
import { interpretError } from '../../../../../src/server/platform/registry/etcd/attempts.js'
import {
  COMPACT, endOfPrefix, GRANT, KEEP_ALIVE, RANGE, REVOKE, STATUS, TRANSACTION, WATCH,
} from '../../../../../src/server/platform/registry/etcd/etcdMessages.js'
import { bytesField, decimalField, fieldsOf, integerField, MalformedMessage } from '../../../../../src/server/platform/registry/etcd/protobuf.js'
import { CallError } from '../../../../../src/server/platform/registry/etcd/wire.js'
import { runs } from '../../../../support/oracles/runs.js'

/** The definitions of etcd 3.4, with all of their fields. */
const { root } = protobuf.parse(`
  syntax = "proto3";
  message ResponseHeader { uint64 cluster_id = 1; uint64 member_id = 2; int64 revision = 3; uint64 raft_term = 4; }
  message KeyValue { bytes key = 1; int64 create_revision = 2; int64 mod_revision = 3; int64 version = 4; bytes value = 5; int64 lease = 6; }
  message Event { enum EventType { PUT = 0; DELETE = 1; } EventType type = 1; KeyValue kv = 2; KeyValue prev_kv = 3; }
  message RangeRequest {
    enum SortOrder { NONE = 0; ASCEND = 1; DESCEND = 2; }
    enum SortTarget { KEY = 0; VERSION = 1; CREATE = 2; MOD = 3; VALUE = 4; }
    bytes key = 1; bytes range_end = 2; int64 limit = 3; int64 revision = 4; SortOrder sort_order = 5; SortTarget sort_target = 6;
    bool serializable = 7; bool keys_only = 8; bool count_only = 9;
    int64 min_mod_revision = 10; int64 max_mod_revision = 11; int64 min_create_revision = 12; int64 max_create_revision = 13;
  }
  message RangeResponse { ResponseHeader header = 1; repeated KeyValue kvs = 2; bool more = 3; int64 count = 4; }
  message PutRequest { bytes key = 1; bytes value = 2; int64 lease = 3; bool prev_kv = 4; bool ignore_value = 5; bool ignore_lease = 6; }
  message PutResponse { ResponseHeader header = 1; KeyValue prev_kv = 2; }
  message DeleteRangeRequest { bytes key = 1; bytes range_end = 2; bool prev_kv = 3; }
  message DeleteRangeResponse { ResponseHeader header = 1; int64 deleted = 2; repeated KeyValue prev_kvs = 3; }
  message RequestOp {
    oneof request { RangeRequest request_range = 1; PutRequest request_put = 2; DeleteRangeRequest request_delete_range = 3; TxnRequest request_txn = 4; }
  }
  message ResponseOp {
    oneof response { RangeResponse response_range = 1; PutResponse response_put = 2; DeleteRangeResponse response_delete_range = 3; TxnResponse response_txn = 4; }
  }
  message Compare {
    enum CompareResult { EQUAL = 0; GREATER = 1; LESS = 2; NOT_EQUAL = 3; }
    enum CompareTarget { VERSION = 0; CREATE = 1; MOD = 2; VALUE = 3; LEASE = 4; }
    CompareResult result = 1; CompareTarget target = 2; bytes key = 3;
    oneof target_union { int64 version = 4; int64 create_revision = 5; int64 mod_revision = 6; bytes value = 7; int64 lease = 8; }
    bytes range_end = 64;
  }
  message TxnRequest { repeated Compare compare = 1; repeated RequestOp success = 2; repeated RequestOp failure = 3; }
  message TxnResponse { ResponseHeader header = 1; bool succeeded = 2; repeated ResponseOp responses = 3; }
  message CompactionRequest { int64 revision = 1; bool physical = 2; }
  message LeaseGrantRequest { int64 TTL = 1; int64 ID = 2; }
  message LeaseGrantResponse { ResponseHeader header = 1; int64 ID = 2; int64 TTL = 3; string error = 4; }
  message LeaseRevokeRequest { int64 ID = 1; }
  message LeaseKeepAliveRequest { int64 ID = 1; }
  message LeaseKeepAliveResponse { ResponseHeader header = 1; int64 ID = 2; int64 TTL = 3; }
  message WatchRequest {
    oneof request_union { WatchCreateRequest create_request = 1; WatchCancelRequest cancel_request = 2; WatchProgressRequest progress_request = 3; }
  }
  message WatchCreateRequest {
    enum FilterType { NOPUT = 0; NODELETE = 1; }
    bytes key = 1; bytes range_end = 2; int64 start_revision = 3; bool progress_notify = 4; repeated FilterType filters = 5;
    bool prev_kv = 6; int64 watch_id = 7; bool fragment = 8;
  }
  message WatchCancelRequest { int64 watch_id = 1; }
  message WatchProgressRequest {}
  message WatchResponse {
    ResponseHeader header = 1; int64 watch_id = 2; bool created = 3; bool canceled = 4; int64 compact_revision = 5;
    string cancel_reason = 6; bool fragment = 7; repeated Event events = 11;
  }
  message StatusResponse {
    ResponseHeader header = 1; string version = 2; int64 dbSize = 3; uint64 leader = 4; uint64 raftIndex = 5; uint64 raftTerm = 6;
    uint64 raftAppliedIndex = 7; repeated string errors = 8; int64 dbSizeInUse = 9; bool isLearner = 10;
  }
`, { keepCase: true })

/** Decodes a message by its definition. Members that are not in the message are absent. */
function decoded(type: string, bytes: Buffer): object {
  const of = root.lookupType(type)
  return of.toObject(of.decode(bytes), { longs: String, enums: String, bytes: String })
}
const encoded = (type: string, message: object): Buffer => {
  const of = root.lookupType(type)
  return Buffer.from(of.encode(of.fromObject(message)).finish())
}
const base64 = (text: string): string => Buffer.from(text, 'utf8').toString('base64')

const text = fc.string({ unit: 'binary', maxLength: 20 }).filter((each) => each.isWellFormed())
const key = text.filter((each) => each !== '')
const revision = fc.oneof(fc.maxSafeNat(), fc.nat(300), fc.constantFrom(0, 127, 128, 2 ** 49 - 1, 2 ** 49, Number.MAX_SAFE_INTEGER))
const lease = fc.bigInt({ min: 1n, max: 2n ** 63n - 1n }).map(String)
const unsigned = fc.bigInt({ min: 0n, max: 2n ** 64n - 1n }).map(String)
const condition: fc.Arbitrary<Condition> = fc.oneof(
  fc.record({ key, isAbsent: fc.constant(true as const) }),
  fc.record({ key, isPresent: fc.constant(true as const) }),
  fc.record({ key, ifRevision: revision }),
)
const operation: fc.Arbitrary<Operation> = fc.oneof(
  fc.record({ put: key, value: text, lease }, { requiredKeys: ['put', 'value'] }),
  fc.record({ delete: key, isPrefix: fc.constant(true as const) }, { requiredKeys: ['delete'] }),
  fc.record({ range: fc.record({ key, isPrefix: fc.constant(true as const), limit: revision, keysOnly: fc.constant(true as const) }, { requiredKeys: ['key'] }) }),
)
const header = fc.record({ cluster_id: unsigned, member_id: unsigned, revision, raft_term: unsigned })
const item = fc.record({ key, value: text, mod_revision: revision, create_revision: revision, version: revision, lease: fc.oneof(lease, fc.constant('0')) })
type Item = typeof item extends fc.Arbitrary<infer T> ? T : never
const itemMessage = (each: Item): object => ({ ...each, key: base64(each.key), value: base64(each.value) })
const itemResult = (each: Item): object => ({ key: each.key, value: each.value, revision: each.mod_revision, ...(each.lease === '0' ? {} : { lease: each.lease }) })

/** Members of a message by its definition, without empty fields of bytes, which are not encoded there. */
const present = (members: Record<string, unknown>): object => Object.fromEntries(Object.entries(members).filter(([, value]) => value !== undefined && value !== ''))
const endText = (prefix: string): string => endOfPrefix(prefix).toString('base64')

describe('requests', () => {
  it('of transactions are encoded as defined', () => {
    const compare = (each: Condition): object => {
      if ('isAbsent' in each) return { result: 'EQUAL', target: 'CREATE', key: base64(each.key), create_revision: '0' }
      if ('isPresent' in each) return { result: 'NOT_EQUAL', target: 'CREATE', key: base64(each.key), create_revision: '0' }
      return { result: 'EQUAL', target: 'MOD', key: base64(each.key), mod_revision: String(each.ifRevision) }
    }
    const op = (each: Operation): object => {
      if ('put' in each) return { request_put: { key: base64(each.put), value: base64(each.value), ...(each.lease === undefined ? {} : { lease: each.lease }) } }
      if ('delete' in each) return { request_delete_range: present({ key: base64(each.delete), range_end: each.isPrefix && endText(each.delete) }) }
      const { key: name, isPrefix, limit, keysOnly } = each.range
      return { request_range: present({ key: base64(name), range_end: isPrefix && endText(name), limit: limit?.toString(), keys_only: keysOnly }) }
    }
    const list = <T>(members: readonly T[], name: string, each: (of: T) => object): object => (members.length === 0 ? {} : { [name]: members.map(each) })
    fc.assert(
      fc.property(fc.array(condition, { maxLength: 4 }), fc.array(operation, { maxLength: 4 }), fc.array(operation, { maxLength: 4 }), (conditions, then, otherwise) => {
        expect(decoded('TxnRequest', TRANSACTION.encode({ if: conditions, then, else: otherwise }))).toEqual({
          ...list(conditions, 'compare', compare), ...list(then, 'success', op), ...list(otherwise, 'failure', op),
        })
      }),
      { numRuns: runs(200) },
    )
  })

  it.each<[string, Buffer, object]>([
    ['RangeRequest', RANGE.encode({ key: 'a/', isPrefix: true, after: 'a/b', limit: 5, revision: 7, isSerializable: true, countOnly: true }), {
      key: base64('a/b\0'), range_end: base64('a0'), limit: '5', revision: '7', serializable: true, count_only: true,
    }],
    ['RangeRequest', RANGE.encode({ key: '', isPrefix: true }), { key: base64('\0'), range_end: base64('\0') }],
    ['CompactionRequest', COMPACT.encode(2 ** 40), { revision: String(2 ** 40) }],
    ['LeaseGrantRequest', GRANT.encode({ lease: '9223372036854775807', seconds: 60 }), { TTL: '60', ID: '9223372036854775807' }],
    ['LeaseRevokeRequest', REVOKE.encode('-9223372036854775808'), { ID: '-9223372036854775808' }],
    ['LeaseKeepAliveRequest', KEEP_ALIVE.encode('1'), { ID: '1' }],
    ['WatchRequest', WATCH.encode({ prefix: 'a/', startRevision: 12 }), { create_request: { key: base64('a/'), range_end: base64('a0'), start_revision: '12', fragment: true } }],
    ['WatchRequest', WATCH.encode({ isProgress: true }), { progress_request: {} }],
  ])('of type %s are encoded as defined', (type, bytes, message) => expect(decoded(type, bytes)).toEqual(message))

  it('are refused when they have no valid numbers', () => {
    for (const limit of [1.5, NaN, 2 ** 53]) expect(() => RANGE.encode({ key: 'a', limit })).toThrow(MalformedMessage)
    for (const id of ['', 'x', '1.5', '18446744073709551616', '-9223372036854775809']) expect(() => KEEP_ALIVE.encode(id)).toThrow(MalformedMessage)
  })
})

describe('the end of a prefix', () => {
  it('is after all keys with the prefix, and before all later keys', () => {
    fc.assert(
      fc.property(key, text, (prefix, rest) => {
        const end = endOfPrefix(prefix)
        expect(Buffer.compare(Buffer.from(prefix + rest), end)).toBe(-1)
        const other = Buffer.from(rest)
        if (Buffer.compare(other, Buffer.from(prefix)) > 0 && !other.subarray(0, Buffer.byteLength(prefix)).equals(Buffer.from(prefix))) {
          expect(Buffer.compare(other, end)).toBeGreaterThanOrEqual(0)
        }
      }),
      { numRuns: runs(300) },
    )
  })
})

describe('responses', () => {
  it('to ranges are decoded as defined', () => {
    fc.assert(
      fc.property(header, fc.array(item, { maxLength: 5 }), revision, (head, kvs, count) => {
        const bytes = encoded('RangeResponse', { header: head, kvs: kvs.map(itemMessage), more: true, count })
        expect(RANGE.decode(bytes)).toEqual({ items: kvs.map(itemResult), count, revision: head.revision })
      }),
      { numRuns: runs(200) },
    )
  })

  it('to transactions are decoded as defined', () => {
    fc.assert(
      fc.property(header, fc.boolean(), fc.array(fc.oneof(fc.constant('put' as const), revision, fc.array(item, { maxLength: 3 })), { maxLength: 4 }), (head, succeeded, results) => {
        const responses = results.map((each) => {
          if (each === 'put') return { response_put: { header: {} } }
          if (typeof each === 'number') return { response_delete_range: { deleted: each } }
          return { response_range: { kvs: each.map(itemMessage), count: each.length } }
        })
        expect(TRANSACTION.decode(encoded('TxnResponse', { header: head, succeeded, responses }))).toEqual({
          succeeded,
          revision: head.revision,
          results: results.map((each) => {
            if (each === 'put') return { put: true }
            if (typeof each === 'number') return { deleted: each }
            return { items: each.map(itemResult), count: each.length, revision: head.revision }
          }),
        })
      }),
      { numRuns: runs(200) },
    )
  })

  it('of watches are decoded as defined', () => {
    const event = fc.record({ isRemoval: fc.boolean(), item })
    fc.assert(
      fc.property(header, fc.array(event, { maxLength: 5 }), fc.boolean(), fc.boolean(), fc.boolean(), revision, text, (head, events, created, canceled, fragment, compacted, reason) => {
        const message = {
          header: head, watch_id: -1, created, canceled, compact_revision: compacted, cancel_reason: reason, fragment,
          events: events.map((each) => ({ type: each.isRemoval ? 'DELETE' : 'PUT', kv: itemMessage(each.item) })),
        }
        expect(WATCH.decode(encoded('WatchResponse', message))).toEqual({
          header: { clusterId: head.cluster_id, memberId: head.member_id, revision: head.revision },
          isCreated: created, isCanceled: canceled, compactRevision: compacted, cancelReason: reason, isFragment: fragment,
          events: events.map((each) => ({ key: each.item.key, revision: each.item.mod_revision, ...(each.isRemoval ? {} : { item: itemResult(each.item) }) })),
        })
      }),
      { numRuns: runs(200) },
    )
  })

  it('of members about themselves are decoded as defined', () => {
    const bytes = encoded('StatusResponse', {
      header: { cluster_id: '18446744073709551615', member_id: '9', revision: 5 }, version: '3.4.23', dbSize: 4096, leader: '18446744073709551615',
      raftIndex: 7, errors: ['memberID:9 alarm:NOSPACE ', 'etcdserver: no leader'], isLearner: true,
    })
    expect(STATUS.decode(bytes)).toEqual({
      header: { clusterId: '18446744073709551615', memberId: '9', revision: 5 }, version: '3.4.23', dbBytes: 4096,
      leaderId: '18446744073709551615', errors: ['memberID:9 alarm:NOSPACE ', 'etcdserver: no leader'],
    })
    expect(KEEP_ALIVE.decode(encoded('LeaseKeepAliveResponse', { header: {}, ID: 1, TTL: 30 }))).toBe(30)
    expect(KEEP_ALIVE.decode(encoded('LeaseKeepAliveResponse', { header: {}, ID: 1 }))).toBe(0)
  })

  it('may be empty', () => {
    const nothing = Buffer.alloc(0)
    expect(RANGE.decode(nothing)).toEqual({ items: [], count: 0, revision: 0 })
    expect(TRANSACTION.decode(nothing)).toEqual({ succeeded: false, revision: 0, results: [] })
    expect(COMPACT.decode(nothing)).toBeUndefined()
  })

  it('may have large values, and many of them', () => {
    const value = 'x'.repeat(1_500_000)
    const kvs = Array.from({ length: 4 }, (_, index) => ({ key: base64(`a/${index}`), value: base64(value), mod_revision: index + 1 }))
    const { items } = RANGE.decode(encoded('RangeResponse', { kvs }))
    expect(items.map((each) => [each.key, each.value.length, each.revision])).toEqual([0, 1, 2, 3].map((index) => [`a/${index}`, 1_500_000, index + 1]))
  })

  const unknown = (name: string, bytes: Buffer): [string, Buffer] => [name, bytes]
  it.each([
    unknown('an integer', integerField(90, 5)),
    unknown('a large integer', decimalField(90, '18446744073709551615')),
    unknown('bytes', bytesField(536_870_911, 'later')),
    unknown('a 64-bit field', Buffer.concat([Buffer.of(0xd1, 0x05), Buffer.alloc(8, 255)])),
    unknown('a 32-bit field', Buffer.concat([Buffer.of(0xd5, 0x05), Buffer.alloc(4, 255)])),
  ])('may contain an unknown field of %s', (_, field) => {
    const known = encoded('RangeResponse', { header: { revision: 7 }, count: 3 })
    for (const bytes of [Buffer.concat([field, known]), Buffer.concat([known, field])]) expect(RANGE.decode(bytes)).toEqual({ items: [], count: 3, revision: 7 })
  })

  it('are refused when they are cut, at every place', () => {
    const bytes = encoded('RangeResponse', { kvs: [{ key: base64('key'), value: base64('value'), mod_revision: 300, lease: '5' }], count: 1 })
    const whole = RANGE.decode(bytes)
    for (let end = 1; end < bytes.length; end++) {
      const cut = (): unknown => RANGE.decode(bytes.subarray(0, end))
      // Between two fields of the outer message, a prefix is a message of its own.
      if (end === bytes.length - 2) expect(cut()).toEqual({ ...whole, count: 0 })
      else expect(cut, `${end} bytes`).toThrow(MalformedMessage)
    }
  })

  it.each<[string, number[]]>([
    ['a field without a number', [0x00, 0x01]],
    ['a field number beyond the maximum', [0x80, 0x80, 0x80, 0x80, 0x10, 0x01]],
    ['a group', [0x0b]],
    ['an unknown wire type', [0x0f]],
    ['an integer of eleven bytes', [0x20, ...Array.from({ length: 10 }, () => 0x80), 0x01]],
    ['an integer of more than 64 bits', [0x20, ...Array.from({ length: 9 }, () => 0xff), 0x02]],
    ['an integer that a number does not hold', [0x20, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x10]],
    ['a length beyond the message', [0x12, 0x7f, 0x00]],
    ['a length beyond all messages', [0x12, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x01]],
    ['an integer in place of bytes', [0x10, 0x01]],
    ['bytes in place of an integer', [0x22, 0x01, 0x00]],
  ])('are refused with %s', (_, bytes) => expect(() => RANGE.decode(Buffer.from(bytes))).toThrow(MalformedMessage))

  it('of random bytes are refused or decoded, nothing else', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 60 }), (bytes) => {
        for (const { decode } of [RANGE, TRANSACTION, WATCH, STATUS]) {
          try {
            decode(Buffer.from(bytes))
          } catch (error) {
            expect(error).toBeInstanceOf(MalformedMessage)
          }
        }
      }),
      { numRuns: runs(500) },
    )
  })
})

describe('integers', () => {
  it('are read as they were written', () => {
    fc.assert(
      fc.property(fc.oneof(revision, fc.maxSafeInteger()), fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n }), unsigned, (number, signed, large) => {
        const [first, second, third] = [...fieldsOf(Buffer.concat([integerField(1, number), decimalField(2, signed.toString()), decimalField(3, large)]))]
        expect([first?.integer(), second?.decimal(), third?.unsignedDecimal()]).toEqual([number, signed.toString(), large])
      }),
      { numRuns: runs(500) },
    )
  })
})

describe('errors of members', () => {
  it.each<[string, number, string, boolean, 'none' | 'maybe', boolean]>([
    ['a request that was not sent', 14, 'No connection established', false, 'none', false],
    ['a lost connection', 14, 'Connection dropped', true, 'maybe', false],
    ['a time that is over', 4, 'No answer within 1500 ms', true, 'maybe', false],
    ['a timeout of etcd', 14, 'etcdserver: request timed out', true, 'maybe', false],
    ['another leader', 14, 'etcdserver: leader changed', true, 'maybe', false],
    ['a member that stops', 14, 'etcdserver: server stopped', true, 'maybe', false],
    ['a member without a leader', 14, 'etcdserver: no leader', true, 'none', false],
    ['a member that does not vote', 14, 'etcdserver: rpc not supported for learner', true, 'none', false],
    ['a busy member', 8, 'etcdserver: too many requests', true, 'none', false],
    ['a response that is too large', 8, 'Received message larger than max', true, 'maybe', false],
    ['a full store', 8, 'etcdserver: mvcc: database space exceeded', true, 'none', true],
    ['a right that is missing', 7, 'etcdserver: permission denied', true, 'none', true],
    ['an invalid request', 3, 'etcdserver: key is not provided', true, 'none', true],
    ['an unknown lease', 5, 'etcdserver: requested lease not found', true, 'none', true],
    ['a response that cannot be read', 13, 'Response message parsing error', true, 'maybe', false],
  ])('are interpreted: %s', (_, code, message, isSent, applied, isRejection) => {
    expect(interpretError(new CallError(message, code, isSent))).toEqual({ applied, isRejection })
  })
})
