/** The words that headers of SPDY/3 are compressed with, as its specification lists them: each after its length, then one text. */

const words = [
  ..."options head post put delete trace accept accept-charset accept-encoding accept-language accept-ranges age".split(
    " ",
  ),
  ..."allow authorization cache-control connection content-base content-encoding content-language".split(" "),
  ..."content-length content-location content-md5 content-range content-type date etag expect expires".split(" "),
  ..."from host if-match if-modified-since if-none-match if-range if-unmodified-since last-modified".split(" "),
  ..."location max-forwards pragma proxy-authenticate proxy-authorization range referer retry-after".split(" "),
  ..."server te trailer transfer-encoding upgrade user-agent vary via warning www-authenticate method".split(" "),
  ...["get", "status", "200 OK", "version", "HTTP/1.1", "url", "public", "set-cookie", "keep-alive", "origin"],
];

const text = [
  "100101201202205206300302303304305306307402405406407408409410411412413414415416417502504505",
  "203 Non-Authoritative Information204 No Content301 Moved Permanently400 Bad Request401 Unauthorized",
  "403 Forbidden404 Not Found500 Internal Server Error501 Not Implemented503 Service Unavailable",
  "Jan Feb Mar Apr May Jun Jul Aug Sept Oct Nov Dec 00:00:00 Mon, Tue, Wed, Thu, Fri, Sat, Sun, GMT",
  "chunked,text/html,image/png,image/jpg,image/gif,application/xml,application/xhtml+xml,text/plain,",
  "text/javascript,publicprivatemax-age=gzip,deflate,sdchcharset=utf-8charset=iso-8859-1,utf-,*,enq=0.",
].join("");

export const spdyDictionary: Buffer = Buffer.concat([
  ...words.flatMap((word) => {
    const length = Buffer.alloc(4);
    length.writeUInt32BE(word.length);
    return [length, Buffer.from(word)];
  }),
  Buffer.from(text),
]);
