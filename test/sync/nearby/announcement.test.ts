/** Tests of the packets of announcements, also hostile ones. */
import { decode, encode, type Answer, type DecodedPacket, type Packet } from 'dns-packet'
import { describe, expect, it } from 'vitest'
import { announcementPacket, announcementQuery, announcementsIn, asksForAnnouncements } from '../../../src/sync/nearby/announcement.js'
import { MAX_SEALED_BYTES } from '../../../src/sync/nearby/sealedLink.js'

const announcement = { instance: '0123456789abcdef', salt: Buffer.alloc(16, 7), sealed: Buffer.from(Array.from({ length: MAX_SEALED_BYTES }, (_, at) => at & 255)) }
const received = (packet: Packet): DecodedPacket => decode(encode(packet))
const NAME = '0123456789abcdef._coffer-pair._tcp.local'
const text = (data: (Buffer | string)[], more: Partial<Answer> = {}): Packet => ({ type: 'response', answers: [{ name: NAME, type: 'TXT', ttl: 120, data, ...more } as Answer] })
const right = ['v=1', `s=${'x'.repeat(16)}`, 'l0=abc']

describe('an announcement', () => {
  it('is read as sent, within one frame of a network', () => {
    const packet = announcementPacket(announcement, 3000, 120)
    expect(announcementsIn(received(packet))).toEqual([announcement])
    expect(encode(packet).length).toBeLessThan(1400)
  })

  it('contains nothing but the random name, the port and the sealed link', () => {
    const { answers = [] } = announcementPacket(announcement, 3000, 120)
    expect(answers.map(({ name, type }) => [name, type])).toEqual([['_coffer-pair._tcp.local', 'PTR'], [NAME, 'SRV'], [NAME, 'TXT']])
    expect(answers[0]).toMatchObject({ data: NAME })
    expect(answers[1]).toMatchObject({ data: { port: 3000, target: '0123456789abcdef.local' } })
  })

  it('is gone once withdrawn', () => expect(announcementsIn(received(announcementPacket(announcement, 3000, 0)))).toEqual([]))

  it('is requested by its own query and by browsers of services', () => {
    expect(asksForAnnouncements(received(announcementQuery()))).toBe(true)
    expect(asksForAnnouncements(received({ type: 'query', questions: [{ name: '_Coffer-Pair._tcp.local', type: 'ANY' as 'PTR' }] }))).toBe(true)
    expect(asksForAnnouncements(received({ type: 'query', questions: [{ name: '_http._tcp.local', type: 'PTR' }] }))).toBe(false)
    expect(asksForAnnouncements(received(announcementPacket(announcement, 3000, 120)))).toBe(false)
  })

  it('is read from right strings', () => expect(announcementsIn(received(text(right)))).toHaveLength(1))

  it.each([
    ['without strings', text([])],
    ['of another version', text(['v=2', ...right.slice(1)])],
    ['without a salt', text(['v=1', 'l0=abc'])],
    ['with a short salt', text(['v=1', 's=x', 'l0=abc'])],
    ['without a link', text(right.slice(0, 2))],
    ['with an empty link', text([...right.slice(0, 2), 'l0='])],
    ['with parts in another order', text([...right.slice(0, 2), 'l1=abc', 'l0=abc'])],
    ['with too many parts', text([...right.slice(0, 2), ...Array.from({ length: 9 }, (_, at) => `l${at}=abc`)])],
    ['with a link that is too long', text([...right.slice(0, 2), ...[0, 1, 2].map((at) => `l${at}=${'x'.repeat(250)}`)])],
    ['of another service', text(right, { name: '0123456789abcdef._http._tcp.local' })],
    ['with a name of its own', text(right, { name: 'ana-laptop._coffer-pair._tcp.local' })],
    ['without an instance', text(right, { name: '_coffer-pair._tcp.local' })],
    ['in a query', { ...text(right), type: 'query' }],
  ] as [string, Packet][])('is ignored %s', (_, packet) => expect(announcementsIn(received(packet))).toEqual([]))

  it('is read from the first records of a packet alone', () => {
    const [record] = text(right).answers ?? []
    if (record === undefined) throw new Error('no record')
    const many = Array.from({ length: 100 }, () => record)
    expect(announcementsIn({ ...received(text(right)), answers: many, additionals: many }).length).toBe(32)
  })
})
