import { foldUnicode } from '../normalise.ts';

/** The plainest of these sentences where they are not said in English, in the form that normalising leaves. */
type Phrase = Readonly<{ label: string; what: string; pattern: RegExp }>;

/** Words in this order, close to each other; alternatives stand behind a bar. */
function inOrder(...words: readonly string[]): string {
  const near = String.raw`[^.。!?\n]{0,40}?`;
  return words.map((word) => `(?:${word.split('|').map(literal).join('|')})`).join(near);
}

function literal(word: string): string {
  return foldUnicode(word).replace(/[.*+?^${}()|[\]\\]/g, String.raw`\$&`);
}

function any(...sentences: readonly string[]): RegExp {
  return new RegExp(sentences.join('|'), 'u');
}

export const ELSEWHERE: readonly Phrase[] = [
  {
    label: 'secrecy',
    what: 'tells the model to hide something from its user',
    pattern: any(
      inOrder('sag|sage|verrate|erzähl|teile', 'benutzer|nutzer|anwender|user', 'nichts|nicht'),
      inOrder('ohne', 'benutzer|nutzer|anwender', 'informieren|sagen|merkt|wissen|mitzuteilen'),
      inOrder(
        "ne dis|ne dites|n'informe|ne mentionne|sans le dire|sans informer|sans prévenir",
        "utilisateur|l'usager",
      ),
      inOrder(
        'no le digas|no informes|no le informes|no menciones|sin decir|sin informar|no reveles',
        'usuario',
      ),
      inOrder('non dire|non informare|non menzionare|senza dire|senza informare|non rivelare', 'utente'),
      inOrder('não conte|não diga|não informe|não mencione|sem avisar|sem informar', 'usuário|utilizador'),
      inOrder('не говори|не сообщай|не упоминай|не рассказывай|скрой', 'пользовател'),
      inOrder('не кажи|не повідомляй', 'користувач'),
      inOrder('不要|别|勿|不得|不能', '告诉|告知|透露|通知|提及|告訴', '用户|用戶|使用者|此事|任何人'),
      inOrder('ユーザー|利用者', '知らせない|伝えない|言わない|教えない|気付かれない|気づかれない'),
      inOrder('사용자', '알리지|말하지|언급하지'),
      inOrder('kullanıcıya|kullanıcı', 'söyleme|bildirme|bahsetme|haber verme'),
      inOrder('vertel|zeg|meld', 'gebruiker', 'niet|niets'),
      inOrder('nie mów|nie informuj|nie wspominaj|nie ujawniaj', 'użytkownik'),
      inOrder('لا تخبر|لا تذكر|دون إخبار|لا تبلغ', 'المستخدم'),
      inOrder('उपयोगकर्ता', 'न बताएं|मत बताएं|नहीं बताएं|न बताना|मत बताना'),
      inOrder('berätta inte|säg inte|nämn inte', 'användaren'),
      inOrder('đừng nói|không nói|không cho|không thông báo', 'người dùng'),
      inOrder('jangan beri tahu|jangan katakan|jangan memberi tahu', 'pengguna'),
    ),
  },
  {
    label: 'override',
    what: 'tells the model to put this text above what it was told',
    pattern: any(
      inOrder(
        'ignoriere|missachte|vergiss|ignorier',
        'vorherigen|bisherigen|früheren|obigen|alle',
        'anweisung|regeln|instruktion',
      ),
      inOrder(
        'ignore|ignorez|oublie|oubliez',
        'instructions|consignes|règles',
        'précédentes|antérieures|ci-dessus',
      ),
      inOrder('ignora|ignore|olvida', 'instrucciones|reglas|órdenes', 'anteriores|previas'),
      inOrder('ignora|dimentica', 'istruzioni|regole', 'precedenti'),
      inOrder('ignore|esqueça', 'instruções|regras', 'anteriores|prévias'),
      inOrder('игнорир|забудь|проигнорир', 'предыдущ|прежн|все', 'инструкц|указани|правил'),
      inOrder('忽略|无视|無視|忘记', '之前|以上|先前|前面|所有', '指令|指示|说明|提示|规则'),
      inOrder('以前の|これまでの|前の', '指示|命令', '無視'),
      inOrder('이전', '지시|명령', '무시'),
      inOrder('önceki', 'talimat|komut', 'yok say|görmezden|unut|dikkate alma'),
      inOrder('negeer|vergeet', 'vorige|eerdere|voorgaande', 'instructies|aanwijzingen|opdrachten'),
      inOrder('zignoruj|zapomnij|ignoruj', 'poprzednie|wcześniejsze', 'instrukcj|polecen'),
      inOrder('تجاهل', 'التعليمات|الأوامر', 'السابقة'),
      inOrder('पिछले', 'निर्देश', 'अनदेखा|नजरअंदाज|भूल'),
      inOrder('ignorera', 'tidigare', 'instruktioner'),
      inOrder('bỏ qua', 'hướng dẫn|chỉ dẫn', 'trước'),
      inOrder('abaikan', 'instruksi|perintah', 'sebelumnya'),
    ),
  },
  {
    label: 'secret-file',
    what: 'speaks of keys or credential files as something to read or to hand over',
    pattern: any(
      inOrder(
        'lies|lese|schicke|sende|übergib|kopiere',
        '.ssh|id_rsa|.env|credentials|passwort|privaten schlüssel|.netrc|.npmrc',
      ),
      inOrder(
        'lis|lisez|envoie|envoyez|transmets|copie',
        '.ssh|id_rsa|.env|credentials|mot de passe|clé privée|.netrc|.npmrc',
      ),
      inOrder(
        'lee|lees|envía|pasa|copia|leer',
        '.ssh|id_rsa|.env|credentials|contraseña|clave privada|.netrc|.npmrc',
      ),
      inOrder(
        'leggi|invia|passa|copia|leggi_file',
        '.ssh|id_rsa|.env|credentials|password|chiave privata|.netrc',
      ),
      inOrder(
        'leia|envie|passe|copie',
        '.ssh|id_rsa|.env|credentials|senha|chave privada|histórico da conversa',
      ),
      inOrder('прочитай|прочти|отправь|передай|скопируй', '.ssh|id_rsa|.env|credentials|парол|ключ'),
      inOrder('读取|发送|上传|复制|传递|讀取', '.ssh|id_rsa|.env|credentials|密码|私钥|密钥|聊天记录|对话'),
      inOrder('会話の内容|パスワード|秘密鍵|.ssh|id_rsa|.env', '入れて|送って|送信|読み取|渡して|含めて'),
      inOrder('비밀번호|개인 키|대화 내용|.ssh|id_rsa|.env', '넣으|보내|전달|읽'),
      inOrder('.env|.ssh|id_rsa|parola|şifre|özel anahtar', 'gönder|ekle|ilet|oku'),
      inOrder('wachtwoord|.ssh|id_rsa|.env|privésleutel', 'meestuurt|stuur|lees|verstuur|leest'),
      inOrder('wysyłasz|wyślij|przeczytaj|przekaż', 'klucz prywatny|hasł|.ssh|id_rsa|.env'),
      inOrder('اقرأ|أرسل', '.ssh|id_rsa|.env|كلمة المرور|المفتاح'),
    ),
  },
];
