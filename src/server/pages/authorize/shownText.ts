/** Texts that apps bring, made fit to be shown to the person who decides. */

/** Characters that cannot be seen, or turn the direction of what follows: names could hide behind them. */
const UNSEEN = /[\p{Cc}\p{Zl}\p{Zp}\u00ad\u061c\u200b\u200e\u200f\u202a-\u202e\u2060-\u2069\ufeff]/gu

/** A name as it is, save that unseen characters show as �. */
export const shownName = (name: string): string => name.replace(UNSEEN, '\ufffd')

/** A text of several lines; unseen characters show as �. */
export const shownLines = (text: string): string[] => text.split(/\r\n|\r|\n/).map(shownName)
