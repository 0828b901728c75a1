/**
 * @file text.cuh
 * @brief The text that --input text counts, written for this chapter.
 *
 * It is in the public domain.
 */

static const char text[] =
    R"(On counting

A night watchman in a small town was asked to find out how many people crossed
the bridge. He did what anyone would do. He stood at the near end with a sheet
of paper, and for each person who came by he made a mark. When the mayor saw the
sheet he was pleased, but not for long. How many of them were children, he
wanted to know, how many came on foot, how many led a horse? So the watchman
drew lines on his paper and wrote a word above each column, and from then on he
looked at everyone who passed, decided which column they belonged to, and put
his mark there. Without knowing it he had drawn a histogram: a row of boxes, a
rule that sends each thing to one of them, and a number in each box that only
ever grows.

It is hard to think of a simpler piece of arithmetic. There is no product in
it, no square root, not even a sum of two numbers that are both unknown. One
looks, chooses, and adds one. And yet the boxes tell more than one would expect.
A photographer reads from them whether a picture is too dark. A printer who has
to cast type learns that for each q he will need more than a hundred of the
letter e. Those who break ciphers begin with nothing else: whatever sign occurs
most often in a long message is likely to stand for a letter that is common in
the language, and once a few letters have fallen, the others follow. A doctor
who looks at the ages of her patients, an engineer who wants to know how long a
machine keeps its customers waiting, a shopkeeper who wonders at which hour he
needs a second pair of hands, they all draw the same row of boxes.

Then the town grew. There were market days on which so many people crossed the
bridge that one watchman could not look at all of them. The mayor sent him help.
Now there were four men at the bridge, each with good eyes and a pencil, and one
sheet of paper between them. It went badly from the first morning. Two of them
would read the same number, each would add one to it in his head, and each would
write down what he had found. Two people had crossed, and the sheet knew of one.
Nobody had made a mistake that could be pointed at. Every one of them had read a
true number, had added correctly, and had written neatly. What was wrong was
that between the reading and the writing somebody else had come in, and that the
second to write wiped out what the first had done. Worse, it did not happen
every time. On quiet days the sums were right, so that the error, when it was
noticed at last, was blamed on the weather.

The first remedy is a rule: whoever holds the sheet may read and write, and
nobody else until he has put it back. Now the numbers are right, however many
watchmen there are. But look at the bridge. Three of four men are standing with
a pencil in the air, waiting for the fourth. If most of those who cross are of
one kind, so that everyone wants the same column, it does not even help to cut
the sheet into strips. The more hands there are, the longer the queue, and a
hundred watchmen would count no faster than one.

The second remedy is older than any machine. Give each man a sheet of his own.
He needs to ask nobody, he can keep the paper on his knee and does not have to
walk to the table, and in the evening, when the bridge is empty, the sheets are
laid side by side and added up, column by column. The adding up takes time as
well, and it takes the longer the more sheets there are. If the men went home
every few minutes and others took their places, with new sheets, one would spend
the day with adding and see nobody cross. So the art lies in the measure: enough
sheets that nobody waits, few enough that the evening is short, and each of them
kept in use as long as possible.

A graphics processor is a town of this kind. It has more than a hundred bridges,
and at each of them some two thousand watchmen, who stand in groups of thirty-two
and do everything in step. The table in the town hall is the memory that all can
reach. It is large, and the way there is long. Each bridge has a shed with a
smaller table, close by, for those who work at this bridge and for nobody else.
That table has thirty-two drawers, and in one beat of the clock every drawer can
be opened once. If the thirty-two men of a group want thirty-two numbers from
different drawers, they are served all at once. If they want different numbers
that happen to lie in the same drawer, they are served one after the other, and
the whole group waits for the last of them.

From there on it is a question of furniture. One sheet for the whole bridge is
too few: groups meet at it, and men of the same group reach into the same drawer
whenever chance will have it. One sheet for each man would be too many, since
there is no room for them in the shed. But thirty-two sheets fit, one for each
place in the group, and if all the numbers on the first sheet are kept in the
first drawer, all those on the second sheet in the second, and so on, then no
two men of a group can ever want the same drawer. It no longer matters who comes
over the bridge. The crowd may be mixed or all alike, the count takes the same
time, and what the men wait for is only the next people to come into view. When
that is reached there is nothing left to improve at the table. One would have to
build a wider road.

There is a lesson in this for those who write programs, and it is not about
paper. The arithmetic was never the difficulty. Anybody can add one. The
difficulty was that many wished to add to the same thing, and every step forward
came from finding out what they really had to share, which was very little, and
when they had to share it, which was at the end. Those who only made the pencil
faster got nowhere. Those who asked where the paper should lie, and who should
be allowed to touch it, counted the whole town before lunch.

One more thing the watchman learned. When he was old, a young man came to him
who had a quick way of counting, and asked whether it was right. The old man did
not study it for long. Count the bridge both ways, he said, yours and the slow
one, on a day with few people, on a day with many, on a day when nobody comes at
all, and on one when everyone who comes looks the same. If the sheets agree on
all of these days, down to the last mark, then tell me how quick it is. Before
that I do not want to hear about it.
)";
