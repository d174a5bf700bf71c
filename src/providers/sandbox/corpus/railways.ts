/** Trains, stations, timetables. */
export const railways = `
Q: When does the next train leave?
A: I cannot see the timetable, but the board in the station can. Look for the line with your destination, check the platform, and look once more a few minutes before, because platforms change when trains are late.
---
Q: Why do trains run on steel wheels?
A: A steel wheel on a steel rail bends hardly at all, so very little power is lost while it rolls. One engine can pull a thousand tonnes with less effort than a lorry needs for forty. The price of it is poor grip: a train needs a long way to stop, and it cannot climb steep hills.
---
Q: How does a train stay on the rails?
A: Most people think it is the rim on the inside of the wheels, but the rim hardly ever touches. The wheels are slightly cone shaped. If the axle moves to the left, the left wheel runs on a larger circle and the right one on a smaller circle, and the pair steers itself back to the middle.
---
Q: Why are there stones between the rails?
A: The stones are called ballast. They spread the weight of the train over the ground, hold the sleepers in place, let the rain run off and keep weeds from growing. Because they are sharp they lock into each other, and because they are loose the track can be lifted and made level again.
---
Q: What is a sleeper?
A: It has two meanings. On the track it is the beam of wood, steel or concrete that lies across under the rails and keeps them the right distance apart. On a timetable it is a train with beds in it, in which you go to bed in one country and have your breakfast in another.
---
Q: How do signals work on a railway?
A: The line is divided into blocks, and only one train may be in a block at a time. At the beginning of each block stands a signal. Red means that the block is taken, green means that it is free, and yellow means that it is free but the next one is not. The train itself tells the signal where it is, because its wheels close an electric circuit between the rails.
---
Q: Is it better to travel by train or by car?
A: By train you can read, sleep and look out of the window, and you arrive in the middle of the town. By car you leave when you like and carry as much as you want. For one person with a book the train wins. For a family with a dog and a tent it does not.
---
Q: How early should I be at the station?
A: Ten minutes are enough if you have your ticket and know the station. Allow twenty if you have to buy one or travel with a bicycle. At the end of the platform you nearly always find a quieter carriage, since most people stop walking as soon as they see a door.
---
Q: What should I do if I miss my connection?
A: Do not run across the tracks, and do not buy a new ticket at once. Go to the information desk or call the number on the ticket. If the first train was late your ticket is usually good for the next one, and if it is the last of the day they have to find you a taxi or a bed.
---
Q: Why are trains late?
A: One late train makes others late, because they share the track. It begins with small things: a door that does not close, a signal that does not answer, somebody who has to be helped down from the carriage. Where the timetable has a few spare minutes the delay is swallowed. Where every minute is used it travels through the whole country and comes back in the evening.
---
Q: How fast do high speed trains go?
A: Many of them run at 300 kilometres an hour, and a few at 350. On tests with no passengers they have gone much faster. What limits them is not the engine but the air, the noise and the cost, because to go twice as fast through the air takes about eight times the power.
---
Q: What is a steam engine?
A: A steam engine burns coal or wood under a boiler, and the water in the boiler turns into steam. The steam wants far more room than the water did, so it pushes a piston, and the piston turns the wheels by means of a long rod. When it has done its work it goes up the chimney in short breaths, and that is the sound that everyone knows.
---
Q: Can I take my bicycle on the train?
A: On most slow trains you can, if you buy a ticket for it and there is room. Fast trains often want you to book a place. Take off the bags before the train comes, because you have to lift it, and stand where the picture of a bicycle is painted on the platform.
---
Q: What do you call the person who drives a train?
A: In most places this is the driver. In North America people say engineer, which confuses visitors, because elsewhere an engineer is somebody who builds the engine.
---
Q: Why are there two different widths of track in the world?
A: There are many more than two. The most common is 1,435 millimetres, which comes from the first lines in the north of England. Other countries chose wider rails for more comfort, or narrower ones because they are cheaper in the mountains. Where two widths meet, people change trains, or the whole carriage is lifted and given other wheels while the passengers sleep.
---
The night train left at eleven from the last platform. It was a long one, blue and a little dusty, with a dining car that smelled of coffee and polish. I had the upper bed. Below me an old lady took off her shoes, wished me a good night and was asleep before the first bridge. I lay and listened. The wheels said the same thing again and again, but never quite in the same way, and in the small hours, when we stopped somewhere without a name, I heard a man walk along the carriages and knock on each wheel with a hammer. Each of them answered with a clear note. He was satisfied, somebody whistled, and we went on.
---
The station at the end of the valley has one platform, one clock and one bench. Three trains come up in the morning and three go down in the evening. The clock has been four minutes fast for as long as anyone can remember. Once, an inspector had it put right. For a week people missed their trains, because they had always trusted the four minutes, and the station master, who was a practical man, climbed up one evening and made the clock wrong again.
---
A timetable is drawn before it is written. The time runs from left to right and the stations stand one above the other, as far apart as they are on the line. Each train is then a slanting stroke: the faster it is the steeper it climbs. Where two strokes cross, two trains meet, and there must be a second track at that place. Where a steep stroke runs into a flat one, the express has caught up with the slow train, and one of them has to wait. The whole art is to make the strokes cross at the right places, so that a traveller who steps out of one train finds the door of the next one open.
---
Passengers for the coast change here. The train to the coast leaves from platform four and calls at all stations. There is no buffet car on this train. Please keep your luggage with you at all times, and mind the gap between the train and the platform.
---
When the line was closed, the village thought that nothing would change. Hardly anybody had used the train. But the post came later, and the young people who had gone to school by rail moved to the town. The inn at the station shut, then the shop opposite the inn. Ten years later somebody had the idea of turning the old track into a path for bicycles. Now the inn is open again in summer, and on Sundays more people come through the village than the railway had ever brought.
---
Q: Write a haiku about the night train.
A: The night train hums on, one lamp between sleeping towns. Morning waits, unpacked.
`;
