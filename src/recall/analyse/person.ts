const words = (text: string): ReadonlySet<string> => new Set(text.trim().split(/\s+/));

const FIRST_PERSON = words(`
  i i'm i've i'd i'll my me mine myself we we're we've we'd we'll our us ours ich mein meine meinen mir mich wir uns unser unsere
  je mon mes moi nous notre nos yo mi mis nosotros nuestra nuestro я мой моя мне меня мы наш наша нам нас
`);
const SECOND_PERSON = words(`
  you you're you've you'd you'll your yours yourself du dein deine dir dich euch ihr euer tu ton tes toi vous votre vos tú ti ты твой твоя тебе тебя вы ваш вам вас
`);

/** Who a word is about: 1 the speaker, -1 the one spoken to, 0 neither. In lower case, with a straight apostrophe. */
export function personOf(word: string): number {
  return FIRST_PERSON.has(word) ? 1 : SECOND_PERSON.has(word) ? -1 : 0;
}
