/** Settings of access requests: sign-in pages, lifetimes and limits (docs/interface/access-requests.md). */
import * as z from 'zod'
import { isCustomScheme } from '../../../store/model/urlScheme.js'
import { listOf, pageAddress, positive, setting, webAddress, whole } from '../setting.js'

const twoMinutes = 2 * 60 * 1000

export const accessRequestSettings = {
  'access.defaultAuthUrl': setting(pageAddress, {
    default: null,
    summary: 'Page on which users sign in for an app; default: the page of the node.',
  }),
  'access.trustedAuthUrls': setting(listOf(webAddress.schema, 'a list of http:// or https:// addresses'), {
    default: [],
    summary: 'Other sign-in pages that apps may specify: these addresses and everything below them.',
  }),
  'access.returnSchemes': setting(
    listOf(() => z.string().refine(isCustomScheme, { error: 'Expected a URL scheme of an app, such as com.example.diary.' }), 'a list of URL schemes of apps, such as com.example.diary'),
    {
      default: [],
      summary: 'Additional URL schemes that apps may use in returnURL, besides http and https.',
    },
  ),
  'access.terminalRetentionMs': setting(whole(0, undefined, ' of milliseconds'), {
    default: twoMinutes,
    summary: 'Milliseconds for which an answered request is kept after an app first reads the answer; this long after the answer, it may be evicted in favour of new requests. 0 keeps it for its full hour and counts it separately from pending requests.',
  }),
  'access.handoffTtl': setting(positive(' of seconds'), {
    default: 600,
    summary: 'Seconds within which an app can fetch a handed-off token; at most the lifetime of the request.',
  }),
  'access.maxLiveRequests': setting(whole(0), {
    default: 10_000,
    summary: 'Maximum number of access requests on this node at a time; when exceeded, the oldest answered or unopened one is removed. 0 means unlimited.',
  }),
  'access.maxLiveRequestsPerIp': setting(whole(0), {
    default: 50,
    summary: 'Maximum number of access requests per client address (IPv6: per /56), loopback excepted; 0 means unlimited.',
  }),
  'access.maxRequestBytes': setting(whole(0, undefined, ' of bytes'), {
    default: 16_384,
    summary: 'Maximum size of an access request including its answer, in bytes; 0 means unlimited.',
  }),
  'access.unopenedRequestTtl': setting(whole(0, 3600, ' of seconds'), {
    default: 0,
    summary: 'Seconds after which an unopened request expires; 0 applies the usual hour.',
  }),
} as const
