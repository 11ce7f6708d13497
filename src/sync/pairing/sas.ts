/**
 * Short authentication string: three words that people compare on both screens. They are 24 bits that both nodes derive on
 * their own, equal only without a man in the middle. Since 24 bits are quickly searched, an attacker could try keys until
 * the words of both sides match. Therefore each side contributes a number: the accepting side commits to its number before it
 * learns the other's, and reveals it afterwards. An attacker then has one guess in 16 million.
 */
import sodium from 'libsodium-wrappers'

export const NONCE_BYTES = 16

export type Words = [string, string, string]

/** Returns the commitment to a number without revealing it: 32 bytes. Requires libsodium to be ready. */
export const commitmentOf = (nonce: Uint8Array): Uint8Array =>
  sodium.crypto_generichash(32, nonce, 'coffer pairing commitment')

/** Returns the words of a pairing: `accepter` and `offerer` are the numbers of the two sides. */
export function wordsOf(binding: Uint8Array, accepter: Uint8Array, offerer: Uint8Array): Words {
  const hash = sodium.crypto_generichash(16, Buffer.concat([binding, accepter, offerer]), 'coffer pairing words')
  const word = (at: number): string => WORDS[hash[at] ?? 0] ?? ''
  return [word(0), word(1), word(2)]
}

/** 256 short words of everyday English, in alphabetical order, that are easy to distinguish when spoken. */
export const WORDS: readonly string[] = (
  'acorn agate alder amber anchor apple apron arrow aspen atlas attic autumn ' +
  'badge bagel bamboo banjo barley basil basket beach beacon beaver berry birch ' +
  'bison blanket blossom bonnet book bottle boulder branch brass bread breeze brick ' +
  'bridge brook broom bucket buffalo butter button cabin cactus camel camera candle ' +
  'canoe canyon carpet carrot castle cedar cello chalk cherry chess chimney cider ' +
  'cinnamon circle cliff clock cloud clover cobalt coffee comet compass copper coral ' +
  'cotton cousin cradle crane crayon cricket crown crystal curtain cypress daisy dancer ' +
  'desert diamond dinner dolphin donkey dragon eagle easel elbow ember emerald engine ' +
  'falcon farmer feather fern fiddle field finch flame flute forest fossil fountain ' +
  'frost galaxy garden garlic ginger giraffe glacier glove goose granite grass guitar ' +
  'hammer harbor hazel hedge heron honey horse hotel iceberg igloo indigo iris ' +
  'island ivory jacket jaguar jasmine jelly jewel jungle juniper kettle kitchen kite ' +
  'koala ladder lagoon lantern lava lemon leopard library lily linen lion lizard ' +
  'lobster lotus lunar magnet mango maple marble market meadow melon meteor mirror ' +
  'monkey mountain muffin mushroom napkin nectar needle novel nutmeg oasis ocean olive ' +
  'onion opal orange orbit orchid otter oven oyster paddle palace panda paper ' +
  'parade parrot peach pebble pelican pencil pepper piano pigeon pillow planet pocket ' +
  'poppy potato prairie puppet quartz quilt rabbit radio raven ribbon river robin ' +
  'rocket saddle sailor salmon saturn scarf shell shovel silver spider sponge spruce ' +
  'squirrel star stone summer sunset swan table teapot temple thunder tiger tulip ' +
  'tunnel turtle umbrella valley velvet violin volcano wagon walnut whale willow window ' +
  'winter wolf yellow zebra'
).split(' ')
